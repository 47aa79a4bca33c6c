namespace Broker.Client.Streams;

/// <summary>The names of <see cref="StreamCompression"/> in the API.</summary>
internal sealed class StreamCompressionConverter() : NameConverter<StreamCompression>(["none", "s2"], StreamCompression.Other);
