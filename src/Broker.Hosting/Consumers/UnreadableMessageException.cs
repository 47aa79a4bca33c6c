namespace Broker.Hosting;

/// <summary>The encoder of a hosted consumer cannot read a message.</summary>
internal sealed class UnreadableMessageException(FormatException cause) : Exception(cause.Message, cause);
