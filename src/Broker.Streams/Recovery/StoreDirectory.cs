namespace Broker.Streams;

/// <summary>Recognises what a directory contains, before anything in it is changed.</summary>
internal static class StoreDirectory
{
    // Names that a nats-server leaves in its store directory, in an account's and in a stream's.
    private static readonly string[] NatsServerNames = ["jetstream", "$G", "$SYS", "streams", "meta.inf", "meta.sum", "msgs", "obs", "tpm.json"];

    /// <summary>Returns true if the directory is a store, and false if it is empty.</summary>
    /// <exception cref="StoreException">The directory contains something else, or a store of another
    /// version.</exception>
    internal static bool IsStore(IStoreFiles files)
    {
        string[] names = [.. files.List().Except([StoreFileNames.Lock, StoreIdentity.FileName + StoreFileNames.Temporary], StringComparer.Ordinal)];
        if (names.Contains(StoreIdentity.FileName))
        {
            StoreIdentity.Check(files.ReadAll(StoreIdentity.FileName), files.Location);
            return true;
        }

        string? foreign = names.FirstOrDefault(static name => NatsServerNames.Contains(name) || name.EndsWith(".blk", StringComparison.Ordinal));
        if (foreign is not null)
        {
            throw new StoreException($"The directory '{files.Location}' contains '{foreign}' of a nats-server. A store needs an empty directory of its own.");
        }

        if (names.Length > 0)
        {
            throw new StoreException($"The directory '{files.Location}' is not a store, and it contains '{names[0]}'. A store needs an empty directory.");
        }

        return false;
    }

    /// <summary>Whether the directory is a store whose file with the version is damaged.</summary>
    internal static bool HasDamagedIdentity(IStoreFiles files)
        => files.List().Contains(StoreIdentity.FileName, StringComparer.Ordinal) && !StoreIdentity.IsWhole(files.ReadAll(StoreIdentity.FileName));

    internal static void Create(IStoreFiles files)
    {
        Span<byte> bytes = stackalloc byte[StoreIdentity.Length];
        StoreIdentity.Write(bytes);
        files.Replace(StoreIdentity.FileName, bytes);
    }
}
