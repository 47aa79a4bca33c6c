namespace Broker.Protocol;

/// <summary>
/// The operations that the server or the client sends, for <see cref="OperationParsing.Parse"/>. A struct implements
/// this interface for each of the two sides, so that every call is direct and the compiler knows the constants.
/// </summary>
/// <remarks>
/// The methods that read return the length of the operation, <see cref="OperationParsing.Incomplete"/> or
/// <see cref="OperationParsing.Failed"/>.
/// </remarks>
internal interface IOperationSide<TParser, THandler>
    where TParser : struct
    where THandler : struct, allows ref struct
{
    /// <summary>
    /// The three-letter verb of this side's messages (PUB or MSG). Nearly every operation begins with this verb and a
    /// space.
    /// </summary>
    static abstract uint Message { get; }

    /// <summary>The first four bytes of each verb.</summary>
    static abstract ReadOnlySpan<byte> Verbs { get; }

    /// <summary>Whether the line at <paramref name="start"/> is the same as the line of the previous message.</summary>
    static abstract bool Repeats(ref TParser parser, ref byte start, int remaining);

    /// <summary>
    /// Whether <see cref="ReadRepeated"/> can read the message at <paramref name="start"/>, whose line is repeated.
    /// </summary>
    static abstract bool CanRepeat(ref TParser parser, ref byte start, int remaining);

    /// <summary>Reads a message whose line is the same as the line of the previous message.</summary>
    static abstract int ReadRepeated(
        ref TParser parser, ref byte start, int remaining, ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error);

    /// <summary>Reads a message that begins with <see cref="Message"/> and a space.</summary>
    static abstract int ReadMessage(
        ref TParser parser, ref byte start, int remaining,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error);

    /// <summary>Reads any operation that has at least four bytes. <paramref name="verb"/> is in lower case.</summary>
    static abstract int ReadOther(
        ref TParser parser, ref byte start, uint verb, int remaining,
        ref THandler handler, ref int needed, ref bool continues, ref ProtocolError error);
}
