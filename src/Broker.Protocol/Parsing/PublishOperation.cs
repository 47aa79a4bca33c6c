using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

/// <summary>
/// A PUB or HPUB. All spans are borrowed from the receive buffer and good until the handler returns.
/// </summary>
/// <remarks>Two references: a part is found when it is asked for, so that a publish nobody listens to costs no more than its check.</remarks>
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

    /// <summary>How many bytes it took, from its first to the end.</summary>
    public int Length => _line.Length;

    /// <summary>The subject, at least one byte, as sent: nothing says that it is valid.</summary>
    public ReadOnlySpan<byte> Subject => Part(_line.SubjectStart, _line.SubjectLength);

    /// <summary>The reply subject; empty when there is none.</summary>
    public ReadOnlySpan<byte> ReplyTo => Part(_line.ReplyStart, _line.ReplyLength);

    /// <summary>How many bytes at the start of <see cref="Payload"/> are headers; -1 when there are none, as in every PUB and in a HPUB that says 0.</summary>
    public int HeaderLength => _line.HeaderLength;

    /// <summary>Whether there are headers.</summary>
    public bool HasHeaders => _line.HeaderLength >= 0;

    /// <summary>Headers and body, without the CR LF that follows.</summary>
    public ReadOnlySpan<byte> Payload => Part(_line.PayloadStart, _line.Size);

    /// <summary>
    /// What a subscriber must be sent after subject and sid, in one piece: <c>" [reply ][header size ]size CR LF payload CR LF"</c>,
    /// beginning with the space. Empty when the publisher's line had another form than servers send; then it must be
    /// put together from the parts.
    /// </summary>
    public ReadOnlySpan<byte> Tail
    {
        get
        {
            int start = _line.SubjectStart + _line.SubjectLength;
            return _line.IsCanonical ? Part(start, _line.Length - start) : default;
        }
    }

    /// <summary>Whether there is a <see cref="Tail"/>, no header and no reply: nothing about it needs a closer look.</summary>
    public bool IsPlain => _line.IsPlain;

    /// <summary>
    /// Whether the publish before this one, by the same parser, is known to have had the same subject: what was found for it still stands. It may
    /// have had it all the same where this says that it had not.
    /// </summary>
    public bool RepeatsSubject { get; }

    private ReadOnlySpan<byte> Part(int start, int length)
        => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.Add(ref _start, start), length);
}
