using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol;

/// <summary>
/// A PUB or HPUB. All spans point into the receive buffer and are valid until the handler returns.
/// </summary>
/// <remarks>
/// The struct holds two references, and finds a part of the operation only when the part is read. So a publish without
/// subscribers costs no more than the check of its line.
/// </remarks>
public readonly ref struct PublishOperation
{
    private readonly ref byte _start;
    private readonly ref readonly PublishLine _line;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PublishOperation(ref byte start, ref readonly PublishLine line, bool repeatsSubject)
    {
        _start = ref start;
        _line = ref line;
        RepeatsSubject = repeatsSubject;
    }

    /// <summary>The number of bytes of the whole operation.</summary>
    public int Length => _line.Length;

    /// <summary>
    /// The subject as sent. It has at least one byte, but the parser does not check that it is valid.
    /// </summary>
    public ReadOnlySpan<byte> Subject => Part(_line.SubjectStart, _line.SubjectLength);

    /// <summary>The reply subject. It is empty if the operation has no reply subject.</summary>
    public ReadOnlySpan<byte> ReplyTo => Part(_line.ReplyStart, _line.ReplyLength);

    /// <summary>
    /// The number of header bytes at the start of <see cref="Payload"/>; -1 if the operation has no headers: in every
    /// PUB, and in a HPUB with header size 0.
    /// </summary>
    public int HeaderLength => _line.HeaderLength;

    /// <summary>Whether the operation has headers.</summary>
    public bool HasHeaders => _line.HeaderLength >= 0;

    /// <summary>Headers and body, without the final CR LF.</summary>
    public ReadOnlySpan<byte> Payload => Part(_line.PayloadStart, _line.Size);

    /// <summary>
    /// The bytes that a subscriber receives after subject and sid: <c>" [reply ][header size ]size CR LF payload CR
    /// LF"</c>, beginning with the space. It is empty if the publisher's line does not have the form that servers send.
    /// Then the sender builds these bytes from the parts.
    /// </summary>
    public ReadOnlySpan<byte> Tail
    {
        get
        {
            int start = _line.SubjectStart + _line.SubjectLength;
            return _line.IsCanonical ? Part(start, _line.Length - start) : default;
        }
    }

    /// <summary>
    /// Whether the operation has a <see cref="Tail"/>, no headers and no reply. Such a publish needs no further checks.
    /// </summary>
    public bool IsPlain => _line.IsPlain;

    /// <summary>
    /// Whether the previous publish from the same parser had the same subject, so that its route can be used again. If
    /// the value is false, the subject may still be the same.
    /// </summary>
    public bool RepeatsSubject { get; }

    private ReadOnlySpan<byte> Part(int start, int length)
        => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref _start, start), length);
}
