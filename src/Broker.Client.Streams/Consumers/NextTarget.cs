namespace Broker.Client.Streams;

/// <summary>The consumer that is asked for one message.</summary>
/// <param name="Stream">The name of the stream.</param>
/// <param name="Consumer">The name of the consumer.</param>
/// <param name="Subject">The subject of the requests.</param>
/// <param name="Copier">Copies the messages. Used on the loop.</param>
internal sealed record NextTarget(string Stream, string Consumer, byte[] Subject, MessageCopier Copier);
