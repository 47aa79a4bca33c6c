namespace Broker.Protocol;

/// <summary>
/// Handles the operations that a client sends to a server. Implement it as a struct: the parser is generic over it, so
/// its calls are direct.
/// </summary>
/// <remarks>
/// All spans are valid until the method returns. Each method returns whether the parser continues: false ends the parse
/// after this operation.
/// </remarks>
public interface IClientOperationHandler
{
    /// <summary>Handles PUB or HPUB.</summary>
    bool OnPublish(scoped PublishOperation operation);

    /// <summary>Handles SUB. <paramref name="queue"/> is empty for a subscription without a queue group.</summary>
    bool OnSubscribe(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> queue, ReadOnlySpan<byte> sid);

    /// <summary>
    /// Handles UNSUB. <paramref name="max"/> is 0 if the subscription ends at once. A limit that is not a number counts
    /// as 0.
    /// </summary>
    bool OnUnsubscribe(ReadOnlySpan<byte> sid, int max);

    /// <summary>Handles CONNECT. <paramref name="json"/> is the JSON as sent.</summary>
    bool OnConnect(ReadOnlySpan<byte> json);

    /// <summary>Handles PING.</summary>
    bool OnPing();

    /// <summary>Handles PONG.</summary>
    bool OnPong();

    /// <summary>
    /// Handles <c>+OK</c>. The rest of its line is ignored. Only servers send it, but nats-server accepts it from
    /// clients too.
    /// </summary>
    bool OnOk();

    /// <summary>
    /// Handles INFO. <paramref name="json"/> is the rest of its line. Only servers send it, but nats-server accepts it
    /// from clients too.
    /// </summary>
    bool OnInfo(ReadOnlySpan<byte> json);

    /// <summary>
    /// Handles <c>-ERR</c>. <paramref name="text"/> is the text as sent, quotes included. Only servers send it, but
    /// nats-server accepts it from clients too.
    /// </summary>
    bool OnError(ReadOnlySpan<byte> text);
}
