"""Types: classes whose annotations are fields."""

import ctypes

from . import _c as c

ORPHANS = "to_host destroy spread ask_game hold".split()
CLAIMS = "always ask_game never".split()
CALLERS = "anybody host owner".split()
TOPOLOGIES = "mesh star".split()
QUORUMS = "majority survivors".split()


class Field:
    """A member of a struct: its kind, range and step. The functions below make them."""

    def __init__(self, kind, of, count=1, min=0, max=0, step=0, bound=0):
        self.kind, self.of, self.count = kind, of, count
        self.min, self.max, self.step, self.bound = min, max, step, bound

    @property
    def is_whole(self):
        """One integer, or the number of a peer or an object."""
        name = _KINDS[self.kind]
        return self.count == 1 and ("int" in name or name in ("peer", "object"))

    def __mul__(self, count):
        """An array: tern.float32() * 3."""
        if self.kind >= _KINDS.index("text"):
            raise TypeError("an array of text or bytes: expected one with a length of its own")
        return Field(self.kind, self.of, count, self.min, self.max, self.step, self.bound)

    def __call__(self, min=0, max=0, step=0, bound=0):
        """The same kind with a range, a step (floats), a bound of error (floats)."""
        return Field(self.kind, self.of, self.count, min, max, step, bound)


_KINDS = (
    "boolean int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 quaternion peer object "
    "text bytes values"
).split()


def _scalar(name, of, count=1):
    return Field(_KINDS.index(name), of, count)


boolean = _scalar("boolean", ctypes.c_bool)
int8 = _scalar("int8", ctypes.c_int8)
int16 = _scalar("int16", ctypes.c_int16)
int32 = _scalar("int32", ctypes.c_int32)
int64 = _scalar("int64", ctypes.c_int64)
uint8 = _scalar("uint8", ctypes.c_uint8)
uint16 = _scalar("uint16", ctypes.c_uint16)
uint32 = _scalar("uint32", ctypes.c_uint32)
uint64 = _scalar("uint64", ctypes.c_uint64)
float32 = _scalar("float32", ctypes.c_float)
quaternion = _scalar("quaternion", ctypes.c_float)
peer = _scalar("peer", ctypes.c_uint16)
object_id = _scalar("object", ctypes.c_uint64)


def text(size_bytes):
    """At most size_bytes - 1 bytes of UTF-8."""
    return Field(_KINDS.index("text"), ctypes.c_char, size_bytes)


def bytes_(size_bytes):
    return Field(_KINDS.index("bytes"), ctypes.c_uint8, size_bytes)


_TEXT = _KINDS.index("text")


class _Text:
    """A text field: str outside, bytes that end with a zero inside."""

    def __init__(self, inside):
        self._inside = inside

    def __get__(self, struct, of=None):
        if struct is None:
            return getattr(of, self._inside)
        return getattr(struct, self._inside).decode(errors="replace")

    def __set__(self, struct, value):
        encoded = value if isinstance(value, bytes) else value.encode()
        size = getattr(type(struct), self._inside).size
        if len(encoded) >= size:
            raise ValueError(
                "a text of %d bytes: expected at most %d" % (len(encoded), size - 1)
            )
        padded = encoded + bytes(size - len(encoded))
        ctypes.Structure.__setattr__(struct, self._inside, padded)


def _annotations_of(members):
    """The annotations of a class that is being made. Python 3.14 computes them when asked."""
    if "__annotations__" in members:
        return members["__annotations__"]
    try:
        import annotationlib
    except ImportError:
        return {}
    annotate = annotationlib.get_annotate_from_class_namespace(members)
    if annotate is None:
        return {}
    return annotationlib.call_annotate_function(annotate, annotationlib.Format.VALUE)


def _member(field):
    if field.kind == _KINDS.index("quaternion"):
        return ctypes.c_float * 4
    if field.kind >= _KINDS.index("text") or field.count > 1:
        return field.of * field.count
    return field.of


class _StructOfFields(type(ctypes.Structure)):
    """Lays a class out as C does, from its annotations, in their order."""

    def __new__(meta, class_name, bases, members, name=None, **options):
        annotations = _annotations_of(members)
        fields = {key: value for key, value in annotations.items() if isinstance(value, Field)}
        wrong = [key for key in annotations if key not in fields]
        if wrong and isinstance(annotations[wrong[0]], str):
            raise TypeError(
                "%s.%s is annotated with a string: leave out `from __future__ import annotations`"
                % (class_name, wrong[0])
            )
        if wrong:
            raise TypeError(
                "%s.%s: expected a field of tern, such as tern.float32" % (class_name, wrong[0])
            )
        members["_tern_fields"] = fields
        members["_tern_name"] = name or class_name.lower()
        members["_tern_options"] = options
        if fields:
            inside = {key: key for key in fields}
            for key, field in fields.items():
                if field.kind == _TEXT:
                    inside[key] = "_text_of_" + key
                    members[key] = _Text(inside[key])
            members["_fields_"] = [(inside[key], _member(fields[key])) for key in fields]
        return super().__new__(meta, class_name, bases, members)

    def __init__(cls, class_name, bases, members, name=None, **options):
        super().__init__(class_name, bases, members)


class Struct(ctypes.Structure, metaclass=_StructOfFields):
    """The arguments of calls. Subclass it, and annotate members with fields.

    Options of the class: name, callers ("anybody", "host", "owner"), calls_per_second_max.
    """

    def __repr__(self):
        values = ", ".join(
            "%s=%r" % (key, _plain(getattr(self, key))) for key in self._tern_fields
        )
        return "%s(%s)" % (type(self).__name__, values)

    def __eq__(self, other):
        return type(self) is type(other) and all(
            _plain(getattr(self, key)) == _plain(getattr(other, key)) for key in self._tern_fields
        )

    def __setattr__(self, key, value):
        super().__setattr__(key, value)
        field = self._tern_fields.get(key)
        if field is None:
            raise AttributeError("%s has no field %s" % (type(self).__name__, key))
        # ctypes cuts off what does not fit.
        if field.is_whole and getattr(self, key) != value:
            raise ValueError("%s is %r, which is no value of its kind" % (key, value))

    __hash__ = None


class Object(Struct):
    """A type of replicated objects.

    Options of the class, as in tern_type: objects_max (the only one that must be given), orphan
    ("to_host", "destroy", "spread", "ask_game", "hold"), claim ("always", "ask_game", "never"),
    claim_cooldown_ms, owned_max, claims_per_second_max, predicted.
    """


def _plain(value):
    return list(value) if isinstance(value, ctypes.Array) and not isinstance(value, bytes) else value


def choice(names, what, value):
    if value not in names:
        raise ValueError("%s is %r, expected one of %s" % (what, value, ", ".join(names)))
    return names.index(value)


_TYPE_OPTIONS = {
    "orphan": ORPHANS,
    "claim": CLAIMS,
    "callers": CALLERS,
    "objects_max": None,
    "claim_cooldown_ms": None,
    "owned_max": None,
    "claims_per_second_max": None,
    "calls_per_second_max": None,
    "predicted": None,
}


def make_type(struct):
    if not struct._tern_fields and issubclass(struct, Object):
        raise ValueError("%s: expected at least one field" % struct.__name__)
    options = dict(struct._tern_options)
    if issubclass(struct, Object) and not options.get("objects_max"):
        raise ValueError("%s: expected objects_max, at least 1" % struct.__name__)
    fields = (c.Field * len(struct._tern_fields))()
    for out, (name, field) in zip(fields, struct._tern_fields.items()):
        out.name, out.kind = name.encode(), field.kind
        out.offset_bytes = getattr(struct, name).offset
        out.count = field.count
        out.min, out.max, out.step, out.bound = field.min, field.max, field.step, field.bound
    made = c.Type(
        name=struct._tern_name.encode(),
        size_bytes=ctypes.sizeof(struct),
        fields=fields,
        field_count=len(fields),
    )
    for option, value in options.items():
        if option not in _TYPE_OPTIONS:
            raise ValueError(
                "%s: there is no option %s, expected one of %s"
                % (struct.__name__, option, ", ".join(_TYPE_OPTIONS))
            )
        names = _TYPE_OPTIONS[option]
        what = "%s of %s" % (option, struct.__name__)
        setattr(made, option, choice(names, what, value) if names else value)
    return made
