using System.Globalization;
using Broker.Client.Errors;

namespace Broker.Client.Publishing;

/// <summary>A message was not accepted; <see cref="Status"/> says why, and the text which limit it was and what there is to do.</summary>
public sealed class PublishRefusedException : ClientException
{
    /// <param name="status">Why.</param>
    /// <param name="options">The connection's.</param>
    /// <param name="payload">Of the message: headers and body, in bytes.</param>
    /// <param name="maxPayload">What the server accepts of those.</param>
    internal PublishRefusedException(PublishStatus status, ClientOptions options, long payload, int maxPayload)
        : base(TextFor(status, options, payload, maxPayload)) => Status = status;

    /// <summary>Why.</summary>
    public PublishStatus Status { get; }

    private static string TextFor(PublishStatus status, ClientOptions options, long payload, int maxPayload) => status switch
    {
        PublishStatus.PendingLimit when payload > options.MaxPendingBytes =>
            $"The message has {Number(payload)} bytes, and {Number(options.MaxPendingBytes)} may wait for the server (ClientOptions.MaxPendingBytes).",
        PublishStatus.PendingLimit =>
            $"There is no room for the message among the {Number(options.MaxPendingBytes)} bytes that may wait for the server (ClientOptions.MaxPendingBytes): PublishAsync waits for room, and Writable tells of it.",
        PublishStatus.BufferFull =>
            $"No server is connected, and there is no room for the message among the {Number(options.ReconnectBufferSize)} bytes that are kept for the next one (ClientOptions.ReconnectBufferSize): PublishAsync waits for it.",
        PublishStatus.NotConnected => "No server is connected, and nothing is kept for the next one (ClientOptions.WhileDisconnected).",
        PublishStatus.Closed => "The connection is closed.",
        PublishStatus.PayloadTooLarge =>
            $"The message has {Number(payload)} bytes, headers included, and the server accepts {Number(maxPayload)} (its max_payload).",
        PublishStatus.SubjectTooLong =>
            $"Subject and reply subject are longer than a line of {Number(options.MaxControlLine)} bytes lets them be (ClientOptions.MaxControlLine, and the server's max_control_line).",
        PublishStatus.HeadersNotSupported when options.Headers => "The message has headers, and the server takes none.",
        PublishStatus.HeadersNotSupported => "The message has headers, and ClientOptions.Headers is off.",
        _ => "The message was not accepted.",
    };

    private static string Number(long bytes) => bytes.ToString("N0", CultureInfo.InvariantCulture);
}
