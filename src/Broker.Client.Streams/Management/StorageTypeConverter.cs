namespace Broker.Client.Streams;

/// <summary>The names of <see cref="StorageType"/> in the API.</summary>
internal sealed class StorageTypeConverter() : NameConverter<StorageType>(["file", "memory"], StorageType.Other);
