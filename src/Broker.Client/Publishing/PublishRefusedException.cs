using Broker.Client.Errors;

namespace Broker.Client.Publishing;

/// <summary>A message was not accepted; <see cref="Status"/> says why.</summary>
public sealed class PublishRefusedException : ClientException
{
    internal PublishRefusedException(PublishStatus status)
        : base(TextFor(status)) => Status = status;

    /// <summary>Why.</summary>
    public PublishStatus Status { get; }

    private static string TextFor(PublishStatus status) => status switch
    {
        PublishStatus.PendingLimit => "As many bytes wait for the server as may.",
        PublishStatus.BufferFull => "No server is connected, and the buffer for that time is full.",
        PublishStatus.NotConnected => "No server is connected.",
        PublishStatus.Closed => "The connection is closed.",
        PublishStatus.PayloadTooLarge => "The message is larger than the server accepts.",
        PublishStatus.SubjectTooLong => "The subjects are longer than the server accepts.",
        PublishStatus.HeadersNotSupported => "The connection has no headers.",
        _ => "The message was not accepted.",
    };
}
