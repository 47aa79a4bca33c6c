using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Protocol.Parsing;

/// <summary>
/// Parses what a client sends, in place on the receive buffer: a server's side of the NATS protocol.
/// </summary>
/// <remarks>
/// <para>One parser serves one connection, in order. It keeps nothing of an operation that has not wholly arrived:
/// the caller gives the unconsumed bytes again, with more behind them. It allocates nothing and throws nothing.</para>
/// <para>Verbs are case-insensitive, arguments are separated by spaces or tabs, and a bare LF ends a line as well as
/// CR LF does, as in nats-server.</para>
/// </remarks>
public partial struct ClientOperationParser
{
    // First four letters in lower case, as a little-endian integer.
    private const uint Pub = 'p' | ('u' << 8) | ('b' << 16);
    private const uint PubSpace = Pub | (' ' << 24);
    private const uint Hpub = 'h' | ('p' << 8) | ('u' << 16) | ((uint)'b' << 24);
    private const uint Sub = 's' | ('u' << 8) | ('b' << 16);
    private const uint Unsu = 'u' | ('n' << 8) | ('s' << 16) | ((uint)'u' << 24);
    private const uint Ping = 'p' | ('i' << 8) | ('n' << 16) | ((uint)'g' << 24);
    private const uint Pong = 'p' | ('o' << 8) | ('n' << 16) | ((uint)'g' << 24);
    private const uint Conn = 'c' | ('o' << 8) | ('n' << 16) | ((uint)'n' << 24);
    private const uint LowerCase = 0x20202020;
    private const uint ThreeLetters = 0x00FFFFFF;

    private const int Incomplete = 0;
    private const int Failed = -1;

    private readonly int _maxControlLine;
    private readonly int _maxPayload;

    // The publish line before, and where its parts are: good while the memo matches.
    private LineMemo _memo;
    private PublishLine _line;

    /// <summary>Makes a parser with limits.</summary>
    public ClientOperationParser(ParserLimits limits)
    {
        _maxControlLine = limits.Line;
        _maxPayload = limits.Payload;
    }

    /// <summary>Calls <paramref name="handler"/> for every operation that is whole.</summary>
    /// <param name="bytes">What was left unconsumed by the call before, and what has come since.</param>
    /// <param name="handler">Who is told.</param>
    /// <param name="needed">Set to how many bytes the first unconsumed operation takes in all, where its size is known; left alone otherwise.</param>
    /// <param name="error">What is wrong at the first unconsumed byte; the connection is beyond repair.</param>
    /// <returns>How many bytes are dealt with.</returns>
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        error = ProtocolError.None;
        ref byte first = ref MemoryMarshal.GetReference(bytes);
        int at = 0;
        while (true)
        {
            int remaining = bytes.Length - at;
            ref byte start = ref Unsafe.Add(ref first, at);
            if (_memo.Matches(ref start, remaining) && _line.IsWhole(ref start, remaining))
            {
                at += _line.Length;
                if (!handler.OnPublish(new PublishOperation(ref start, ref _line, repeatsSubject: true)))
                {
                    return at;
                }

                continue;
            }

            int length = Next(ref start, remaining, ref handler, ref needed, ref error, out bool goOn);
            if (length <= 0)
            {
                return at;
            }

            at += length;
            if (!goOn)
            {
                return at;
            }
        }
    }

    // Whatever does not repeat the line before.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int Next<THandler>(
        ref byte start, int remaining, ref THandler handler, ref int needed, ref ProtocolError error, out bool goOn)
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        goOn = true;
        if (remaining < sizeof(uint))
        {
            return remaining == 0 ? Incomplete : Few(ref start, remaining, ref error);
        }

        uint verb = Unsafe.ReadUnaligned<uint>(ref start);
        return (verb | (LowerCase & ThreeLetters)) == PubSpace
            ? Publish(ref start, 4, remaining, false, ref handler, ref needed, ref goOn, ref error)
            : Other(ref start, verb | LowerCase, remaining, ref handler, ref needed, ref goOn, ref error);
    }

    private static bool IsSeparator(byte value) => value is (byte)' ' or (byte)'\t';
}
