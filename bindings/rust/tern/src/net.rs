//! Addresses, datagrams, invites and the UDP socket.

use crate::error::{c_text, check, copied_text, Error, ErrorKind, Result};
use std::fmt;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::ptr::{null, null_mut, NonNull};
use std::str::FromStr;
use tern_sys as sys;

/// The address of a peer's socket. It is read from `1.2.3.4:7777` or `[::1]:7777`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Address {
    raw: sys::tern_address,
}

impl Address {
    /// Gives 127.0.0.1, by which processes of one machine reach each other.
    pub fn loopback(port: u16) -> Self {
        // SAFETY: The function takes every port.
        Self { raw: unsafe { sys::tern_loopback(port, false) } }
    }

    /// Gives addresses of this machine's network interfaces for `Session::make_invite()`: at most
    /// 4, because an invite has no room for more. Those of IPv6 are for sockets that were made by
    /// [`UdpSocket::with_ipv6()`]. That of loopback is given only if there are no others.
    pub fn of_this_machine(port: u16) -> Vec<Self> {
        let mut found = [Self::loopback(0); sys::TERN_INVITE_ADDRESSES_MAX];
        // SAFETY: An Address is a transparent tern_address, and the function writes that many.
        let count =
            unsafe { sys::tern_local_addresses(port, found.as_mut_ptr().cast(), found.len()) };
        found[..count.min(found.len())].to_vec()
    }

    pub fn ip(&self) -> IpAddr {
        let ip = Ipv6Addr::from(self.raw.ip);
        match self.raw.ip {
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d] => IpAddr::from([a, b, c, d]),
            _ => IpAddr::V6(ip),
        }
    }

    pub fn port(&self) -> u16 {
        self.raw.port
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        let ip = match address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        Self { raw: sys::tern_address { ip: ip.octets(), port: address.port() } }
    }
}

impl From<Address> for SocketAddr {
    fn from(address: Address) -> Self {
        Self::new(address.ip(), address.port())
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let expected = "expected 1.2.3.4:7777 or [::1]:7777";
            Error::new(ErrorKind::BadText, format!("\"{text}\" is no address: {expected}"))
        };
        let c = c_text(text, "the address")?;
        let mut address = Self::loopback(0);
        // SAFETY: Both pointers are valid during the call.
        check(unsafe { sys::tern_parse_address(c.as_ptr(), &mut address.raw) })
            .map_err(|_| wrong())?;
        Ok(address)
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        (self.raw.ip, self.raw.port) == (other.raw.ip, other.raw.port)
    }
}

impl Eq for Address {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; sys::TERN_ADDRESS_TEXT_MAX];
        // SAFETY: The function writes a text of C into an array of the size that it demands.
        f.write_str(&unsafe {
            sys::tern_address_text(&self.raw, text.as_mut_ptr());
            copied_text(text.as_ptr())
        })
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// All that a newcomer needs to join. Anybody who has an invite can join, so share it with players
/// only. It is printed as a text, and read from it; `{:?}` shows no secret.
#[derive(Clone, Copy)]
pub struct Invite {
    pub(crate) raw: sys::tern_invite,
}

impl FromStr for Invite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let c = c_text(text, "the invite")?;
        // SAFETY: An invite of zeros is a valid value. Both pointers are valid during the call, and
        // the text that it gives is a constant.
        unsafe {
            let mut raw: sys::tern_invite = std::mem::zeroed();
            let wrong = sys::tern_parse_invite(c.as_ptr(), &mut raw);
            if wrong.is_null() {
                return Ok(Self { raw });
            }
            let text = format!("the invite: {}", copied_text(wrong));
            Err(Error::new(ErrorKind::BadText, text))
        }
    }
}

impl fmt::Display for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; sys::TERN_INVITE_TEXT_MAX];
        // SAFETY: The function writes a text of C into an array of the size that it demands.
        f.write_str(&unsafe {
            sys::tern_invite_text(&self.raw, text.as_mut_ptr());
            copied_text(text.as_ptr())
        })
    }
}

impl fmt::Debug for Invite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invite of session {:016x}", self.raw.session)
    }
}

/// A datagram that has arrived, or one to send.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Datagram<'a> {
    raw: sys::tern_datagram,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> Datagram<'a> {
    /// `address`: the sender of a received datagram.
    pub fn new(address: Address, bytes: &'a [u8]) -> Self {
        let raw = sys::tern_datagram {
            address: address.raw,
            bytes: bytes.as_ptr().cast(),
            size_bytes: bytes.len(),
        };
        Self { raw, bytes: PhantomData }
    }

    pub fn address(&self) -> Address {
        Address { raw: self.raw.address }
    }

    pub fn bytes(&self) -> &'a [u8] {
        // SAFETY: new() or the maker of the slice of datagrams has borrowed the bytes for 'a.
        unsafe { slice(self.raw.bytes.cast(), self.raw.size_bytes) }
    }
}

impl fmt::Debug for Datagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {}", self.raw.size_bytes, self.address())
    }
}

/// Makes a slice of a pointer of C, which may be null if there is nothing.
///
/// # Safety
/// `count` values lie there, which stay as they are during 'a.
pub(crate) unsafe fn slice<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    std::slice::from_raw_parts(first, count)
}

/// A non-blocking UDP socket, bound to all interfaces.
pub struct UdpSocket {
    raw: NonNull<sys::tern_socket>,
}

// SAFETY: One thread at a time uses the socket: its functions need a reference to it.
unsafe impl Send for UdpSocket {}

impl UdpSocket {
    /// Port 0: any free one. The socket has IPv4 only.
    pub fn new(port: u16) -> Result<Self> {
        Self::make(port, false)
    }

    /// The socket has IPv6, and IPv4 too.
    pub fn with_ipv6(port: u16) -> Result<Self> {
        Self::make(port, true)
    }

    fn make(port: u16, ipv6: bool) -> Result<Self> {
        let mut raw = null_mut();
        // SAFETY: The pointer is valid during the call.
        check(unsafe { sys::tern_make_udp_socket(port, ipv6, &mut raw) })?;
        NonNull::new(raw).map(|raw| Self { raw }).ok_or_else(|| Error::of(sys::TERN_SYSTEM))
    }

    pub fn port(&self) -> u16 {
        // SAFETY: The socket is valid until drop().
        unsafe { sys::tern_socket_port(self.raw.as_ptr()) }
    }

    /// Gives the datagrams that have arrived, at most 256.
    pub fn receive(&mut self) -> &[Datagram<'_>] {
        let mut first = null();
        // SAFETY: The datagrams are valid until the next call, which needs the socket alone; and a
        // Datagram is a transparent tern_datagram.
        unsafe {
            let count = sys::tern_socket_receive(self.raw.as_ptr(), &mut first);
            slice(first.cast(), count)
        }
    }

    pub fn send(&mut self, datagrams: &[Datagram<'_>]) {
        // SAFETY: A Datagram is a transparent tern_datagram, and all are valid during the call.
        unsafe {
            let first = datagrams.as_ptr().cast();
            sys::tern_socket_send(self.raw.as_ptr(), first, datagrams.len());
        }
    }
}

impl Drop for UdpSocket {
    fn drop(&mut self) {
        // SAFETY: The socket is valid, and nothing uses it afterwards.
        unsafe { sys::tern_destroy_socket(self.raw.as_ptr()) }
    }
}
