namespace Broker.Protocol;

/// <summary>
/// Handles the operations that a client sends to a server. Implement it as a struct: the parser is generic in the type
/// of the handler, so its calls are direct.
/// </summary>
/// <remarks>
/// All spans are valid until the method returns. Each method returns whether the parser continues: after false, the
/// parser stops behind this operation.
/// </remarks>
public interface IClientOperationHandler
{
    /// <summary>Handles PUB or HPUB.</summary>
    bool OnPublish(scoped PublishOperation operation);

    /// <summary>Handles SUB. <paramref name="queue"/> is empty for a subscription without a queue group.</summary>
    bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid);

    /// <summary>
    /// Handles UNSUB. If <paramref name="max"/> is 0, the subscription ends at once. A limit that is not a number
    /// counts as 0.
    /// </summary>
    bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max);

    /// <summary>Handles CONNECT. <paramref name="json"/> is the JSON as the client sent it.</summary>
    bool OnConnect(ReadOnlySpan<byte> json);

    /// <summary>Handles PING.</summary>
    bool OnPing();

    /// <summary>Handles PONG.</summary>
    bool OnPong();

    /// <summary>
    /// Handles <c>+OK</c>. The rest of the line is ignored. Usually only servers send this operation, but nats-server
    /// accepts it from clients too.
    /// </summary>
    bool OnOk();

    /// <summary>
    /// Handles INFO. <paramref name="json"/> is the rest of the line. Usually only servers send this operation, but
    /// nats-server accepts it from clients too.
    /// </summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary>
    /// Handles <c>-ERR</c>. <paramref name="text"/> is the text as sent, quotes included. Usually only servers send
    /// this operation, but nats-server accepts it from clients too.
    /// </summary>
    bool OnError(ReadOnlySpan<byte> text);
}
