//! Wrong calls give an error that says what to do, and have no other effect.

mod pair;

use pair::{all_types, Asked, Ball, Pair, Twin};
use std::process::Command;
use tern::{tern_type, types, Address, Config, ErrorKind, Invite, ObjectId, Session, UdpSocket};

fn text_of<T>(result: tern::Result<T>, kind: ErrorKind) -> String {
    let error = result.err().expect("it succeeded");
    assert_eq!(error.kind(), kind, "{error}");
    error.to_string()
}

#[test]
fn a_wrong_call_says_what_to_do() {
    let mut pair = Pair::open();
    let ball = pair.host.create(Ball::default()).unwrap();
    pair.until(|pair| pair.guest.exists(ball));
    let text = text_of(pair.guest.set(ball, Ball::default()), ErrorKind::Misuse);
    assert!(text.starts_with("set(): Object 1.1 (ball) belongs to peer 1"), "{text}");
    assert!(text_of(pair.host.start(), ErrorKind::Misuse).contains("has begun before"));
    let unknown = ObjectId::<Ball>::from_u64(77);
    assert!(text_of(pair.host.get(unknown), ErrorKind::Misuse).contains("No object 0.77"));
    assert!(text_of(pair.host.owner(unknown), ErrorKind::Misuse).starts_with("object_owner()"));
    let nan = Ball { x: f32::NAN, ..Ball::default() };
    assert!(text_of(pair.host.set(ball, nan), ErrorKind::Misuse).contains("NaN"));
    let text = text_of(pair.guest.set_many(&[ball], &[Ball::default()]), ErrorKind::Misuse);
    assert!(text.contains("belongs to peer 1"), "{text}");
    assert!(text_of(pair.host.receive(&[], 0), ErrorKind::Misuse).contains("time went back"));
    pair.tick(&mut |_, _| {}); // Nothing is left of the mistakes.
}

#[test]
fn a_mistake_in_c_is_no_error_of_the_next_call() {
    let pair = Pair::open();
    // SAFETY: The session is valid.
    let result = unsafe { tern_sys::tern_destroy(pair.host.as_ptr(), 77) };
    assert_eq!(result, tern_sys::TERN_MISUSE);
    let ball = pair.host.create(Ball::default()).unwrap();
    assert_eq!(pair.host.get(ball).unwrap(), Ball::default());
}

#[test]
fn an_id_of_another_type_reads_nothing() {
    let mut pair = Pair::open();
    let asked = pair.host.create(Asked { number: 5 }).unwrap();
    let twin = ObjectId::<Twin>::from_u64(asked.to_u64());
    let text = text_of(pair.host.get(twin), ErrorKind::Misuse);
    assert!(text.starts_with("get(): Object 1.1 has another type than Twin."), "{text}");
    text_of(pair.host.set(twin, Twin { number: 6 }), ErrorKind::Misuse);
    text_of(pair.host.sample(twin, 0), ErrorKind::Misuse);
    text_of(pair.host.set_many(&[twin], &[Twin { number: 6 }]), ErrorKind::Misuse);
    assert_eq!(pair.host.get(asked).unwrap().number, 5);
    assert!(pair.host.find_object::<Twin>(asked.any()).is_none());
    assert_eq!(pair.host.find_object::<Asked>(asked.any()), Some(asked));
    pair.tick(&mut |_, _| {});
}

tern_type! {
    "stranger" { objects_max: 1 }
    struct Stranger {
        number: u8 { min: 0.0, max: 3.0 },
    }
}

tern_type! {
    "wrong" { objects_max: 1 }
    struct Wrong {
        number: f32 { min: 3.0, max: 0.0 },
    }
}

#[test]
fn wrong_types_and_settings_are_refused() {
    let pair = Pair::open();
    let text = text_of(pair.host.create(Stranger { number: 1 }), ErrorKind::Misuse);
    assert!(text.contains("Stranger is no type of this session"), "{text}");
    text_of(pair.host.values::<Stranger>(), ErrorKind::Misuse);
    let make = |config, types: &[tern::TypeTable]| {
        text_of(Session::new(config, types), ErrorKind::BadConfig)
    };
    assert!(make(Config::default(), &types![Ball, Ball]).contains("both named ball"));
    assert!(make(Config::default(), &types![Wrong]).contains("number"));
    let config = Config { peers_max: 99, ..Config::default() };
    assert!(make(config, &all_types()).contains("peers_max 99"));
    let config = Config { name: "a\0b".into(), ..Config::default() };
    text_of(Session::new(config, &all_types()), ErrorKind::BadText);
}

#[test]
fn texts_that_are_none_are_refused() {
    let text = text_of("tern1-abc".parse::<Invite>(), ErrorKind::BadText);
    assert!(text.starts_with("the invite: it is cut short"), "{text}");
    let text = text_of("localhost:1".parse::<Address>(), ErrorKind::BadText);
    assert!(text.contains("is no address: expected"), "{text}");
}

struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("the payload was dropped");
    }
}

#[test]
fn a_log_that_panics_ends_the_program() {
    if std::env::var_os("TERN_TEST_LOG_PANICS").is_some() {
        let log = Box::new(|_: &str| std::panic::panic_any(PanicsAgain));
        let config = Config { log: Some(log), ..Config::default() };
        let mut session = Session::new(config, &all_types()).unwrap();
        let _ = session.start();
        return;
    }
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "a_log_that_panics_ends_the_program", "--nocapture"]);
    let ended = program.env("TERN_TEST_LOG_PANICS", "1").output().unwrap();
    let failed_test = Some(101);
    assert!(!ended.status.success() && ended.status.code() != failed_test, "{ended:?}");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(text.contains("panicked") && !text.contains("was dropped"), "{text}");
}

#[test]
fn a_port_in_use_is_named() {
    let socket = UdpSocket::new(0).unwrap();
    let text = text_of(UdpSocket::new(socket.port()), ErrorKind::PortInUse);
    assert!(text.contains("Another socket"), "{text}");
    assert!(!Address::of_this_machine(socket.port()).is_empty());
}
