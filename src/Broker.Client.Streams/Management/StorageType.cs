namespace Broker.Client.Streams;

/// <summary>The kind of memory in which a stream keeps its messages.</summary>
public enum StorageType
{
    /// <summary>In files, so that the messages survive a restart of the server.</summary>
    File,

    /// <summary>In memory.</summary>
    Memory,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
