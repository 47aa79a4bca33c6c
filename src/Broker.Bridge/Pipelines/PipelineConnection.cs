using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// The bridge's client connection, as the two ends of a pipeline use it. Used on the connection's loop.
/// </summary>
internal readonly struct PipelineConnection(BrokerConnection client, PipelineConnection.ServerState server) : IPipelineConnection
{
    public bool IsConnected => server.IsConnected;

    public int MaxPayload => client.MaxPayload;

    public PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
        => client.PublishWithStatus(subject, body, default, headers);

    public PublishStatus Publish(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
        => client.PublishWithStatus(subject, body, replyTo, headers);

    /// <summary>Whether a server is connected. The route updates it when the connection notifies the route.</summary>
    internal sealed class ServerState
    {
        internal bool IsConnected { get; set; }
    }
}
