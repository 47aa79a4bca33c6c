namespace Broker.Client.Streams;

/// <summary>
/// The codes that programs react to, of the several hundred that a server may send as <c>err_code</c>. Cast another
/// number to compare with a code that has no name here.
/// </summary>
public enum StreamErrorCode
{
    /// <summary>The answer had no code, or there was no answer.</summary>
    None = 0,

    /// <summary>A consumer with this name and another configuration exists.</summary>
    ConsumerNameInUse = 10013,

    /// <summary>The stream has no consumer of this name.</summary>
    ConsumerNotFound = 10014,

    /// <summary>The stream has no message of this sequence or subject.</summary>
    MessageNotFound = 10037,

    /// <summary>The account may not use streams.</summary>
    StreamsNotEnabledForAccount = 10039,

    /// <summary>A configuration contradicts itself, or has a value that the server does not accept.</summary>
    InvalidStreamConfiguration = 10052,

    /// <summary>The message is larger than the stream permits.</summary>
    MessageTooLarge = 10054,

    /// <summary>A stream with this name and another configuration exists.</summary>
    StreamNameInUse = 10058,

    /// <summary>There is no stream of this name.</summary>
    StreamNotFound = 10059,

    /// <summary>The message was stored by another stream than the one that it expected.</summary>
    UnexpectedStream = 10060,

    /// <summary>Another stream already has one of the subjects.</summary>
    SubjectsOverlap = 10065,

    /// <summary>The last message id of the stream is not the expected one.</summary>
    UnexpectedLastMessageId = 10070,

    /// <summary>The last sequence of the stream or of the subject is not the expected one.</summary>
    UnexpectedLastSequence = 10071,

    /// <summary>The server has no streams, because JetStream is not enabled.</summary>
    StreamsNotEnabled = 10076,

    /// <summary>The stream could not store the message, for example because it is full.</summary>
    NotStored = 10077,

    /// <summary>The consumer exists, but the request was to create it.</summary>
    ConsumerExists = 10148,

    /// <summary>The consumer does not exist, but the request was to update it.</summary>
    ConsumerDoesNotExist = 10149,

    /// <summary>The last sequence of the subject is not the expected one.</summary>
    UnexpectedLastSubjectSequence = 10164,
}
