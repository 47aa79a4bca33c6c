namespace Broker.Client.Streams;

/// <summary>The advice at the end of an error text.</summary>
internal static class Remedies
{
    /// <summary>Returns null if the code and the server's text say enough.</summary>
    internal static string? For(StreamErrorCode code) => code switch
    {
        StreamErrorCode.StreamNotFound => "Create the stream, or check its name, the account and the domain (StreamsOptions.Domain).",
        StreamErrorCode.ConsumerNotFound => "Create the consumer, or check its name: the server deletes an ephemeral consumer that is not used.",
        StreamErrorCode.StreamNameInUse => "Use UpdateStreamAsync or CreateOrUpdateStreamAsync to change the existing stream.",
        StreamErrorCode.ConsumerNameInUse or StreamErrorCode.ConsumerExists
            => "Use CreateOrUpdateConsumerAsync to change the existing consumer, or delete it first.",
        StreamErrorCode.ConsumerDoesNotExist => "Use CreateOrUpdateConsumerAsync to create a missing consumer.",
        StreamErrorCode.SubjectsOverlap => "Each subject belongs to at most one stream: remove it from one of the two.",
        StreamErrorCode.UnexpectedLastSequence or StreamErrorCode.UnexpectedLastSubjectSequence
            => "Another program has written meanwhile: read the last message and try again.",
        StreamErrorCode.StreamsNotEnabled or StreamErrorCode.StreamsNotEnabledForAccount
            => "Enable JetStream on the server and for the account of this connection.",
        _ => null,
    };
}
