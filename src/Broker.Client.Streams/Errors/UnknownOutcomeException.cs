namespace Broker.Client.Streams;

/// <summary>
/// The acknowledgement of a published message did not come, so it is unknown whether a stream has stored the message.
/// </summary>
/// <remarks>
/// If the message has an id (<see cref="StreamPublishOptions.MessageId"/>), publish it again: the stream recognises a
/// message that it has stored already, for as long as its <see cref="StreamConfig.DuplicateWindow"/> says. Without an
/// id, publishing again may store it twice.
/// </remarks>
public sealed class UnknownOutcomeException : StreamException
{
    internal UnknownOutcomeException(string subject, string? messageId, string cause)
        : base(
            $"It is unknown whether the message to '{subject}' is stored: {cause}. "
            + (messageId is null
                ? "It has no id, so publishing it again may store it twice (StreamPublishOptions.MessageId)."
                : $"Publishing it again is safe, because it has the id '{messageId}'."))
    {
        Subject = subject;
        MessageId = messageId;
    }

    /// <summary>The subject of the message.</summary>
    public string Subject { get; }

    /// <summary>The id of the message. Null if it has none.</summary>
    public string? MessageId { get; }

    /// <summary>Whether publishing the message again cannot store it twice.</summary>
    public bool IsRetrySafe => MessageId is not null;
}
