using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Broker.Protocol;

/// <summary>
/// Parses the operations that a client sends, in place in the receive buffer. A server needs this parser for its side
/// of the NATS protocol.
/// </summary>
/// <remarks>
/// <para>One parser serves one connection and reads its bytes in order. It stores nothing of an incomplete operation:
/// the caller passes the unconsumed bytes again, followed by the new bytes. The parser neither allocates nor
/// throws.</para>
/// <para>As in nats-server, verbs are case-insensitive, spaces or tabs separate arguments, and a line ends with CR LF
/// or with a bare LF.</para>
/// </remarks>
public partial struct ClientOperationParser
{
    private readonly int _maxControlLine;
    private readonly int _maxPayload;

    // Whether the limit permits the longest line that the short path can divide. Then this path need not check the
    // limit.
    private readonly bool _dividesLines;

    // The previous publish line and the offsets of its parts. The offsets also apply to the next line, if the memo
    // matches the line or the line has this shape.
    private LineMemo _memo;
    private LineShape _shape;
    private PublishLine _line;

    // The last line that the short path divided.
    private PublishLine _divided;
    private uint _count;

    /// <summary>Creates a parser with limits.</summary>
    public ClientOperationParser(ParserLimits limits)
    {
        _maxControlLine = limits.Line;
        _maxPayload = limits.Payload;
        _dividesLines = Vector256.IsHardwareAccelerated && limits.Line >= LineShape.LongestLine;
        _shape = LineShape.None;
    }

    /// <summary>Calls <paramref name="handler"/> for every complete operation.</summary>
    /// <param name="bytes">
    /// The unconsumed bytes of the previous call, followed by the bytes that have arrived since.
    /// </param>
    /// <param name="handler">The handler of the operations.</param>
    /// <param name="needed">
    /// Receives the total size of the first unconsumed operation, if this size is known. Otherwise the value stays
    /// unchanged.
    /// </param>
    /// <param name="error">
    /// The error at the first unconsumed byte. After an error, the caller must close the connection.
    /// </param>
    /// <returns>The number of consumed bytes.</returns>
    // The loop and the handler's publish method are inlined into this method. The method itself is not inlined: with
    // the locals of a caller, it would run out of registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, IClientOperationHandler, allows ref struct
        => OperationParsing.Parse<Side<THandler>, ClientOperationParser, THandler>(ref this, bytes, ref handler, ref needed, out error);

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
            => parser._line.IsComplete(ref start, remaining);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadRepeated(
            ref ClientOperationParser parser, ref byte start, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        {
            int length = parser._line.Length;
            continues = handler.OnPublish(new PublishOperation(ref start, ref parser._line, repeatsSubject: true));
            return length;
        }

        // A line of the usual form takes a short path.
        public static int ReadMessage(
            ref ClientOperationParser parser, ref byte start, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
        {
            if (parser._dividesLines && remaining >= LineShape.LeastRemaining)
            {
                ref byte arguments = ref Unsafe.Add(ref start, LineShape.ArgumentsAt);
                ulong separators = LineShape.SeparatorsOf(ref arguments);
                if (parser._shape.Matches(ref arguments, separators) && parser._line.IsComplete(ref start, remaining))
                {
                    if (parser.ShouldRemember())
                    {
                        parser._memo.Remember(ref start, parser._line.PayloadStart, remaining);
                    }

                    continues = CallHandler(ref start, ref parser._line, ref handler);
                    return parser._line.Length;
                }

                ref PublishLine divided = ref parser._divided;
                if (LineShape.TryDivide(ref arguments, separators, parser._maxPayload, ref divided)
                    && divided.IsComplete(ref start, remaining))
                {
                    if (parser.ShouldRemember())
                    {
                        parser._line = divided;
                        parser._shape.Store(ref arguments, separators, in divided);
                        parser._memo.Remember(ref start, divided.PayloadStart, remaining);
                    }

                    continues = CallHandler(ref start, ref divided, ref handler);
                    return divided.Length;
                }
            }

            return parser.ParsePublish(
                ref start, LineShape.ArgumentsAt, remaining, false, ref handler, ref needed, ref continues, ref error);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadOther(
            ref ClientOperationParser parser, ref byte start, uint verb, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
            => parser.ParseOther(ref start, verb, remaining, ref handler, ref needed, ref continues, ref error);
    }
}
