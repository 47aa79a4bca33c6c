namespace Broker.Client.Streams;

/// <summary>The answer to a request for one message.</summary>
/// <param name="Kind">What has come.</param>
/// <param name="Message">The message, if one has come.</param>
internal readonly record struct NextAnswer(NextKind Kind, StreamMessage Message);
