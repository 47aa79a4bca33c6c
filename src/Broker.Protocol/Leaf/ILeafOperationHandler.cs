namespace Broker.Protocol;

/// <summary>
/// Handles the operations that a server sends over a leaf node connection. Implement it as a struct: the parser is
/// generic in the type of the handler, so its calls are direct.
/// </summary>
/// <remarks>
/// All spans are valid until the method returns. Each method returns whether the parser continues: after false, the
/// parser stops behind this operation.
/// </remarks>
public interface ILeafOperationHandler
{
    /// <summary>Handles LMSG or HMSG.</summary>
    bool OnMessage(in LeafMessage message);

    /// <summary>Handles LS+: the other server has interest in a filter.</summary>
    /// <param name="filter">The filter. Only its length has been checked.</param>
    /// <param name="queueGroup">The queue group; empty for interest without a queue group.</param>
    /// <param name="weight">The number of members of the queue group, at least 1; 1 without a queue group.</param>
    bool OnSubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup, int weight);

    /// <summary>Handles LS-: the other server has no more interest in a filter.</summary>
    bool OnUnsubscribe(ReadOnlySpan<byte> filter, ReadOnlySpan<byte> queueGroup);

    /// <summary>Handles INFO. <paramref name="json"/> is the JSON as the server sent it.</summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary>Handles PING.</summary>
    bool OnPing();

    /// <summary>Handles PONG.</summary>
    bool OnPong();

    /// <summary>Handles -ERR. <paramref name="text"/> is the text between the quotes.</summary>
    bool OnError(ReadOnlySpan<byte> text);
}
