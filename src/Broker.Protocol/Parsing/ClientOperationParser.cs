using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

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
    private readonly int _maxControlLine;
    private readonly int _maxPayload;

    // Whether lines may be so long that none of those that are divided at once is too long.
    private readonly bool _dividesLines;

    // A publish line, and where its parts are: good while the memo matches, or a line has that shape.
    private LineMemo _memo;
    private LineShape _shape;
    private PublishLine _line;

    // The last one that was divided at once.
    private PublishLine _divided;
    private uint _count;

    /// <summary>Makes a parser with limits.</summary>
    public ClientOperationParser(ParserLimits limits)
    {
        _maxControlLine = limits.Line;
        _maxPayload = limits.Payload;
        _dividesLines = Vector256.IsHardwareAccelerated && limits.Line >= LineShape.LongestLine;
        _shape = LineShape.None;
    }

    /// <summary>Calls <paramref name="handler"/> for every operation that is whole.</summary>
    /// <param name="bytes">What was left unconsumed by the call before, and what has come since.</param>
    /// <param name="handler">Who is told.</param>
    /// <param name="needed">Set to how many bytes the first unconsumed operation takes in all, where its size is known; left alone otherwise.</param>
    /// <param name="error">What is wrong at the first unconsumed byte; the connection is beyond repair.</param>
    /// <returns>How many bytes are dealt with.</returns>
    // A frame of its own: the loop is inlined here with all of the handler's publish, and beside a caller's locals its registers would not do.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
        => OperationFrame.Parse<Side<THandler>, ClientOperationParser, THandler>(ref this, bytes, ref handler, ref needed, out error);

    private readonly struct Side<THandler> : IOperationSide<ClientOperationParser, THandler>
        where THandler : struct, IClientOperationHandler, allows ref struct
    {
        public static uint Message => Verb.Pub;

        public static ReadOnlySpan<byte> Verbs => "PUB HPUBSUB UNSUCONNPINGPONGINFO+OK -ERR"u8;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool Repeats(ref ClientOperationParser parser, ref byte start, int remaining)
            => parser._memo.Matches(ref start, remaining);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool CanRepeat(ref ClientOperationParser parser, ref byte start, int remaining)
            => parser._line.IsWhole(ref start, remaining);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadRepeated(
            ref ClientOperationParser parser, ref byte start, int remaining,
            ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
        {
            if (handler.OnlyCountsRepeats && parser._line.IsPlain)
            {
                return parser.CountRepeats(ref start, remaining, ref handler);
            }

            int length = parser._line.Length;
            goOn = handler.OnPublish(new PublishOperation(ref start, ref parser._line, repeatsSubject: true));
            return length;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadMessage(
            ref ClientOperationParser parser, ref byte start, int argumentsAt, int remaining, bool headers,
            ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
            => headers
                ? parser.Publish(ref start, argumentsAt, remaining, true, ref handler, ref needed, ref goOn, ref error)
                : parser.PublishPlain(ref start, remaining, ref handler, ref needed, ref goOn, ref error);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadOther(
            ref ClientOperationParser parser, ref byte start, uint verb, int remaining,
            ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error)
            => parser.Other(ref start, verb, remaining, ref handler, ref needed, ref goOn, ref error);
    }
}
