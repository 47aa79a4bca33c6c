using Broker.Client.Publishing;

namespace Broker.Bridge.Pipelines;

/// <summary>
/// What the two ends of a pipeline need of the connection. A struct, so that the calls are direct; on the connection's loop.
/// </summary>
internal interface IPipelineWire
{
    /// <summary>Whether there is a server now, as the connection last said.</summary>
    bool IsConnected { get; }

    /// <summary>The largest message, headers included, that the server takes, in bytes.</summary>
    int MaxPayload { get; }

    /// <summary>Publishes; everything is copied before the return.</summary>
    PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body);

    /// <summary>Publishes with a subject for an answer; everything is copied before the return.</summary>
    PublishStatus Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body);
}
