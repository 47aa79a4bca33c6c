namespace Broker.Client.Streams;

/// <summary>The lengths of the parts of a message, in the order in which they are kept.</summary>
internal readonly record struct MessageLengths(int ReplyTo, int Headers, int Body);
