using System.Runtime.CompilerServices;

namespace Broker.Protocol;

/// <summary>
/// Parses the operations that a server sends, in place in the receive buffer. A client needs this parser for its side
/// of the NATS protocol. The contract is the same as for <see cref="ClientOperationParser"/>.
/// </summary>
public partial struct ServerOperationParser
{
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

    /// <summary>
    /// Creates a parser with limits. The limit of control lines also applies to a server's INFO, which may be long.
    /// </summary>
    public ServerOperationParser(ParserLimits limits)
    {
        _maxControlLine = limits.Line;
        _maxPayload = limits.Payload;
    }

    /// <inheritdoc cref="ClientOperationParser.Parse"/>
    // The loop and the handler's message method are inlined into this method. The method itself is not inlined: with
    // the locals of a caller, it would run out of registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler, ref int needed, out ProtocolError error)
        where THandler : struct, IServerOperationHandler, allows ref struct
        => OperationParsing.Parse<Side<THandler>, ServerOperationParser, THandler>(ref this, bytes, ref handler, ref needed, out error);

    private readonly struct Side<THandler> : IOperationSide<ServerOperationParser, THandler>
        where THandler : struct, IServerOperationHandler, allows ref struct
    {
        public static uint Message => Verb.Msg;

        public static ReadOnlySpan<byte> Verbs => "MSG HMSGINFOPINGPONG+OK -ERR"u8;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static bool Repeats(ref ServerOperationParser parser, ref byte start, int remaining) => parser._memo.Matches(ref start, remaining);

        public static bool CanRepeat(ref ServerOperationParser parser, ref byte start, int remaining) => true;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadRepeated(
            ref ServerOperationParser parser, ref byte start, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
            => parser.Deliver(ref start, parser._memo.Length, remaining, true, ref handler, ref needed, ref continues, ref error);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadMessage(
            ref ServerOperationParser parser, ref byte start, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
            => parser.ParseMessage(ref start, 4, remaining, false, ref handler, ref needed, ref continues, ref error);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public static int ReadOther(
            ref ServerOperationParser parser, ref byte start, uint verb, int remaining,
            ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error)
            => parser.ParseOther(ref start, verb, remaining, ref handler, ref needed, ref continues, ref error);
    }
}
