using Broker.Server;

namespace Broker.Streams;

/// <summary>The folders of the accounts in the directory of a server's streams.</summary>
internal static class StoreFolders
{
    private const string Global = "global";
    private const string Others = "accounts";

    // A nats-server has one of these folders in its store directory, or in the folder "jetstream" of it.
    private static readonly string[] NatsServerNames = ["jetstream", AccountDescription.GlobalName, AccountDescription.SystemName];

    /// <summary>The folder of an account.</summary>
    internal static string Of(string directory, string account)
        => string.Equals(account, AccountDescription.GlobalName, StringComparison.Ordinal)
            ? Path.Combine(directory, Global)
            : Path.Combine(directory, Others, Escape(account));

    /// <summary>The accounts that have a folder in the directory.</summary>
    internal static IEnumerable<(string Account, string Folder)> In(string directory)
    {
        string global = Path.Combine(directory, Global);
        if (Directory.Exists(global))
        {
            yield return (AccountDescription.GlobalName, global);
        }

        string others = Path.Combine(directory, Others);
        string[] folders = Directory.Exists(others) ? Directory.GetDirectories(others) : [];
        foreach (string folder in folders.Order(StringComparer.Ordinal))
        {
            yield return (Uri.UnescapeDataString(Path.GetFileName(folder)), folder);
        }
    }

    /// <summary>Checks that the directory is not that of something else. Changes nothing.</summary>
    /// <exception cref="StoreException">The directory belongs to a nats-server, or is the folder of one account.</exception>
    internal static void Check(string directory)
    {
        if (File.Exists(directory))
        {
            throw new StoreException($"The directory '{directory}' cannot be used for streams: it is a file.");
        }

        if (!Directory.Exists(directory))
        {
            return;
        }

        string? foreign = NatsServerNames.FirstOrDefault(name => Directory.Exists(Path.Combine(directory, name)));
        if (foreign is not null)
        {
            throw new StoreException(
                $"The directory '{directory}' contains '{foreign}' of a nats-server, whose files the broker cannot read. Name another directory.");
        }

        if (File.Exists(Path.Combine(directory, StoreIdentity.FileName)))
        {
            throw new StoreException($"The directory '{directory}' is the store of one account. Name the directory above it.");
        }
    }

    // A name of an account can have any characters. A dot at its start would name another folder.
    private static string Escape(string account)
    {
        string escaped = Uri.EscapeDataString(account);
        return escaped.StartsWith('.') ? "%2E" + escaped[1..] : escaped;
    }
}
