//! Where a webhook may lead. A name of the public DNS that leads to a private address is a slip or an attack on what stands
//! inside; a private address is asked only where the configuration names one plainly: by number, by `localhost`, or by a
//! name that only exists inside. Link-local addresses, where clouds keep credentials, are never asked.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

/// Ends of names that the public DNS does not have.
const INSIDE: [&str; 7] = ["localhost", "internal", "local", "lan", "svc", "home.arpa", "test"];

/// Finds names as the machine does, and refuses what a webhook must not reach.
pub struct Guarded;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            for address in &found {
                check(&name, address.ip())?;
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// A number in the address is never resolved.
pub(super) fn check_literal(url: &Url) -> Result<(), String> {
    let ip = match url.host() {
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip),
        Some(Host::Domain(_)) => return Ok(()),
        None => return Err("there is no host in it".to_owned()),
    };
    if is_unreachable(plain(ip)) { Err(format!("{ip} is no address of a service")) } else { Ok(()) }
}

fn check(name: &str, ip: IpAddr) -> Result<(), String> {
    let ip = plain(ip);
    if is_unreachable(ip) {
        return Err(format!("{name} leads to {ip}, which is no address of a service"));
    }
    if is_private(ip) && !is_inside(name) {
        return Err(format!("{name} leads to the private address {ip}, and does not say so itself"));
    }
    Ok(())
}

/// IPv4 in the clothes of IPv6.
fn plain(ip: IpAddr) -> IpAddr {
    ip.to_canonical()
}

fn is_inside(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends_with = |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !name.contains('.') || INSIDE.into_iter().any(ends_with)
}

fn is_unreachable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local() || ip.is_unspecified() || ip.is_broadcast() || ip.is_multicast(),
        IpAddr::V6(ip) => ip.is_unicast_link_local() || ip.is_unspecified() || ip.is_multicast(),
    }
}

fn is_private(ip: IpAddr) -> bool {
    match ip {
        // 100.64.0.0/10 is shared among the customers of a provider.
        IpAddr::V4(ip) => ip.is_private() || ip.is_loopback() || (ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, check_literal};
    use url::Url;

    #[test]
    fn a_public_name_does_not_lead_inside() {
        let leads = |name: &str, ip: &str| check(name, ip.parse().unwrap()).is_ok();
        for (name, ip) in [
            ("orders.example.com", "203.0.113.7"),
            ("orders.example.com", "2001:db8::7"),
            ("orders", "10.1.2.3"),
            ("localhost", "127.0.0.1"),
            ("orders.svc", "10.96.0.7"),
            ("orders.shop.INTERNAL.", "172.16.0.9"),
            ("orders.lan", "fd00::7"),
        ] {
            assert!(leads(name, ip), "{name} {ip}");
        }
        for (name, ip) in [
            ("orders.example.com", "10.1.2.3"),
            ("orders.example.com", "127.0.0.1"),
            ("orders.example.com", "::1"),
            ("orders.example.com", "::ffff:192.168.0.1"),
            ("orders.example.com", "100.64.0.1"),
            ("orders.example.com", "fd00::7"),
            ("notlocalhost.example", "127.0.0.1"),
            ("evil-internal.example", "10.1.2.3"),
            ("xinternal.example.org", "10.1.2.3"),
            ("metadata.internal", "169.254.169.254"),
            ("orders", "0.0.0.0"),
            ("orders.lan", "fe80::1"),
        ] {
            assert!(!leads(name, ip), "{name} {ip}");
        }
    }

    #[test]
    fn a_number_is_taken_at_its_word() {
        let leads = |url: &str| check_literal(&Url::parse(url).unwrap()).is_ok();
        for url in ["http://127.0.0.1:8080/a", "https://10.0.0.7/", "http://[::1]/", "https://orders.example.com/"] {
            assert!(leads(url), "{url}");
        }
        for url in
            ["http://169.254.169.254/latest", "http://0/", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/"]
        {
            assert!(!leads(url), "{url}");
        }
    }
}
