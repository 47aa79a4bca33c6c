namespace Broker.Protocol.Parsing;

/// <summary>
/// What the operations of one side, servers or clients, are to <see cref="OperationFrame.Parse"/>. A struct stands for each, so that
/// every call is direct and its constants are.
/// </summary>
/// <remarks>Methods return the operation's length, <see cref="OperationFrame.Incomplete"/> or <see cref="OperationFrame.Failed"/>.</remarks>
internal interface IOperationSide<TParser, THandler>
    where TParser : struct
    where THandler : struct, allows ref struct
{
    /// <summary>The verb of the side's messages, of three letters; with a space behind it is what nearly everything begins with.</summary>
    static abstract uint Message { get; }

    /// <summary>The first four bytes of each verb.</summary>
    static abstract ReadOnlySpan<byte> Verbs { get; }

    /// <summary>Whether the line before comes again.</summary>
    static abstract bool Repeats(ref TParser parser, ref byte start, int remaining);

    /// <summary>Whether that line can be read as <see cref="ReadRepeated"/> does it.</summary>
    static abstract bool CanRepeat(ref TParser parser, ref byte start, int remaining);

    /// <summary>A message whose line is the one before.</summary>
    static abstract int ReadRepeated(
        ref TParser parser, ref byte start, int remaining, ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error);

    /// <summary>A message.</summary>
    static abstract int ReadMessage(
        ref TParser parser, ref byte start, int argumentsAt, int remaining, bool headers,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error);

    /// <summary>Any operation, of at least four bytes; the verb is in lower case.</summary>
    static abstract int ReadOther(
        ref TParser parser, ref byte start, uint verb, int remaining,
        ref THandler handler, ref int needed, ref bool goOn, ref ProtocolError error);
}
