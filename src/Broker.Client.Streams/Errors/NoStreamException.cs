namespace Broker.Client.Streams;

/// <summary>No stream has the subject of a published message, so the message is not stored.</summary>
public sealed class NoStreamException : StreamException
{
    internal NoStreamException(string subject)
        : base(
            $"No stream has the subject '{subject}', so the message is not stored. Add the subject to a stream (StreamConfig.Subjects), or check the account and the domain (StreamsOptions.Domain).")
    {
        Status = 503;
        Subject = subject;
    }

    /// <summary>The subject of the message.</summary>
    public string Subject { get; }
}
