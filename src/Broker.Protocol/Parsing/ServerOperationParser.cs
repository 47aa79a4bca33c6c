using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

/// <summary>
/// Parses what a server sends, in place on the receive buffer: a client's side of the NATS protocol.
/// The same contract as <see cref="ClientOperationParser"/>.
/// </summary>
public partial struct ServerOperationParser
{
    private const uint Msg = 'm' | ('s' << 8) | ('g' << 16) | (' ' << 24);
    private const uint Hmsg = 'h' | ('m' << 8) | ('s' << 16) | ((uint)'g' << 24);
    private const uint Info = 'i' | ('n' << 8) | ('f' << 16) | ((uint)'o' << 24);
    private const uint Ping = 'p' | ('i' << 8) | ('n' << 16) | ((uint)'g' << 24);
    private const uint Pong = 'p' | ('o' << 8) | ('n' << 16) | ((uint)'g' << 24);
    private const uint Ok = '+' | ('o' << 8) | ('k' << 16);
    private const uint Err = '-' | ('e' << 8) | ('r' << 16) | ((uint)'r' << 24);
    private const uint LowerCase = 0x20202020;
    private const uint ThreeLetters = 0x00FFFFFF;

    private const int Incomplete = 0;
    private const int Failed = -1;

    private readonly int _maxControlLine;
    private readonly int _maxPayload;

    private LineMemo _memo;
    private int _subjectStart;
    private int _subjectLength;
    private int _replyStart;
    private int _replyLength;
    private int _headerLength;
    private int _size;
    private ulong _sid;

    /// <summary>Makes a parser with limits. A server's INFO is a control line too and may be long.</summary>
    public ServerOperationParser(ParserLimits limits)
    {
        _maxControlLine = limits.Line;
        _maxPayload = limits.Payload;
    }

    /// <inheritdoc cref="ClientOperationParser.Parse"/>
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        error = ProtocolError.None;
        ref byte first = ref MemoryMarshal.GetReference(bytes);
        int at = 0;
        bool goOn = true;
        while (goOn)
        {
            int remaining = bytes.Length - at;
            ref byte start = ref Unsafe.Add(ref first, at);
            int length;
            if (_memo.Matches(ref start, remaining))
            {
                length = Deliver(ref start, _memo.Length, remaining, true, ref handler, ref needed, ref goOn, ref error);
            }
            else if (remaining < sizeof(uint))
            {
                length = remaining == 0 ? Incomplete : Few(ref start, remaining, ref error);
            }
            else
            {
                uint verb = Unsafe.ReadUnaligned<uint>(ref start);
                length = (verb | (LowerCase & ThreeLetters)) == Msg
                    ? Message(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error)
                    : Other(ref start, verb | LowerCase, remaining, ref handler, ref needed, ref goOn, ref error);
            }

            if (length <= 0)
            {
                break;
            }

            at += length;
        }

        return at;
    }
}
