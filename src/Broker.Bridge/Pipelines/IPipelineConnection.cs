using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// The connection that the two ends of a pipeline use. Implementations are structs, so that the calls are direct. Used
/// on the connection's loop.
/// </summary>
internal interface IPipelineConnection
{
    /// <summary>Whether a server is connected, according to the connection's last notification.</summary>
    bool IsConnected { get; }

    /// <summary>The server's limit for a message including headers, in bytes.</summary>
    int MaxPayload { get; }

    /// <summary>Publishes a message. The connection copies all arguments before it returns.</summary>
    PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body);

    /// <summary>
    /// Publishes a message with a reply subject. The connection copies all arguments before it returns.
    /// </summary>
    PublishStatus Publish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body);
}
