using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Server;

/// <summary>
/// The JWTs of accounts as files of a directory: <c>&lt;account&gt;.jwt</c>. Another file is never touched. Thread-safe.
/// </summary>
internal sealed class AccountFiles
{
    private const string Ending = ".jwt";
    private const string DeletedEnding = ".jwt.deleted";
    private const string TemporaryEnding = ".jwt.tmp";

    private readonly Lock _gate = new();
    private readonly DirectoryResolver _options;
    private readonly TimeProvider _time;
    private readonly ServerLog _log;

    // The hash of each JWT, and the tick when it was used last.
    private readonly Dictionary<string, Entry> _entries = new(StringComparer.Ordinal);
    private readonly byte[] _hash = new byte[SHA256.HashSizeInBytes];
    private long _uses;
    private int _writes;

    internal AccountFiles(DirectoryResolver options, TimeProvider time, ServerLog log)
    {
        _options = options;
        _time = time;
        _log = log;
    }

    internal DirectoryResolver Options => _options;

    /// <summary>The accounts that have a file.</summary>
    internal string[] Accounts
    {
        get
        {
            lock (_gate)
            {
                return [.. _entries.Keys];
            }
        }
    }

    /// <summary>
    /// The hash of all JWTs, as nats-server computes it: the exclusive or of their SHA-256 hashes. Two servers with the
    /// same accounts have the same hash.
    /// </summary>
    internal byte[] Hash
    {
        get
        {
            lock (_gate)
            {
                return [.. _hash];
            }
        }
    }

    /// <summary>Opens the directory, and creates it if it does not exist.</summary>
    /// <exception cref="IOException">The directory cannot be read or created.</exception>
    /// <exception cref="UnauthorizedAccessException">The directory cannot be read or created.</exception>
    internal void Open()
    {
        Directory.CreateDirectory(_options.Directory);
        lock (_gate)
        {
            foreach (string path in Directory.EnumerateFiles(_options.Directory, "*" + Ending))
            {
                string account = Path.GetFileNameWithoutExtension(path);
                if (PublicKey.IsValid(account, KeyKind.Account) && TryReadFile(account, out byte[]? bytes))
                {
                    Track(account, bytes);
                }
            }
        }

        foreach (string path in Directory.EnumerateFiles(_options.Directory, "*" + TemporaryEnding))
        {
            // The server stopped before it had written the whole file. The request was not acknowledged.
            RemoveTemporary(path);
        }
    }

    /// <summary>Whether the directory can be written, for a warning at the start.</summary>
    internal string? WhyNotWritable()
    {
        string path = Path.Combine(_options.Directory, "writable" + TemporaryEnding);
        try
        {
            File.WriteAllBytes(path, []);
            File.Delete(path);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e.Message;
        }
    }

    /// <summary>Reads the JWT of an account. Returns false if there is none, or if it is too old for this cache.</summary>
    internal bool TryRead(string account, [NotNullWhen(true)] out string? jwt)
    {
        jwt = null;
        lock (_gate)
        {
            // A file that another program has put into the directory since the start counts too.
            if (!PublicKey.IsValid(account, KeyKind.Account) || !TryReadFile(account, out byte[]? bytes))
            {
                return false;
            }

            if (_options.Lifetime is { } lifetime && _time.GetUtcNow().UtcDateTime - File.GetLastWriteTimeUtc(PathOf(account)) > lifetime)
            {
                return false;
            }

            Track(account, bytes);
            jwt = Encoding.ASCII.GetString(bytes);
            return true;
        }
    }

    /// <summary>
    /// The JWT that an account had when it was deleted; null if it was not deleted, or if its file was removed.
    /// </summary>
    internal string? ReadDeleted(string account)
    {
        string path = Path.Combine(_options.Directory, account + DeletedEnding);
        try
        {
            return new FileInfo(path) is { Exists: true, Length: <= Jwt.MaxLength } ? File.ReadAllText(path).Trim() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Whether the file of an account still has this content.</summary>
    internal bool Has(string account, string jwt)
    {
        lock (_gate)
        {
            return _entries.TryGetValue(account, out Entry? entry) && entry.Hash.AsSpan().SequenceEqual(SHA256.HashData(Encoding.ASCII.GetBytes(jwt)));
        }
    }

    /// <summary>
    /// Writes the JWT of an account. It is on the disk when the method returns. If it fails, the earlier file is
    /// unchanged, unless only the directory could not be synchronized.
    /// </summary>
    /// <exception cref="IOException">The file cannot be written, or there are too many accounts.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written.</exception>
    internal void Save(string account, string jwt)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(jwt);
        string temporary = Path.Combine(_options.Directory, $"{account}.{Interlocked.Increment(ref _writes)}{TemporaryEnding}");
        try
        {
            // Reading other accounts does not wait for the disk.
            using (var file = new FileStream(temporary, FileMode.Create, FileAccess.Write, FileShare.None, 0))
            {
                file.Write(bytes);
                file.Flush(flushToDisk: true);
            }

            lock (_gate)
            {
                if (!_entries.ContainsKey(account) && _entries.Count >= _options.MaxAccounts)
                {
                    MakeRoom();
                }

                File.Move(temporary, PathOf(account), overwrite: true);
                Track(account, bytes);
            }

            DirectorySync.Sync(_options.Directory);
        }
        catch
        {
            RemoveTemporary(temporary);
            throw;
        }
    }

    /// <summary>Deletes the file of an account, or renames it. Returns false if there is none.</summary>
    /// <exception cref="IOException">The file cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be deleted.</exception>
    internal bool Delete(string account)
    {
        lock (_gate)
        {
            if (!_entries.ContainsKey(account))
            {
                return false;
            }

            if (_options.Deletion == AccountDeletion.Renames)
            {
                File.Move(PathOf(account), Path.Combine(_options.Directory, account + DeletedEnding), overwrite: true);
            }
            else
            {
                File.Delete(PathOf(account));
            }

            Forget(account);
        }

        DirectorySync.Sync(_options.Directory);
        return true;
    }

    // A cache removes the account that was not used for the longest time.
    private void MakeRoom()
    {
        if (!_options.IsCache)
        {
            throw new IOException($"the directory has its limit of {_options.MaxAccounts} accounts");
        }

        while (_entries.Count >= _options.MaxAccounts)
        {
            string oldest = _entries.MinBy(static e => e.Value.LastUse).Key;
            File.Delete(PathOf(oldest));
            Forget(oldest);
        }
    }

    private void Track(string account, byte[] bytes)
    {
        byte[] hash = SHA256.HashData(bytes);
        if (_entries.TryGetValue(account, out Entry? before))
        {
            if (!before.Hash.AsSpan().SequenceEqual(hash))
            {
                Toggle(before.Hash);
                Toggle(hash);
            }

            before.Hash = hash;
            before.LastUse = ++_uses;
            return;
        }

        Toggle(hash);
        _entries.Add(account, new Entry { Hash = hash, LastUse = ++_uses });
    }

    private void Forget(string account)
    {
        if (_entries.Remove(account, out Entry? entry))
        {
            Toggle(entry.Hash);
        }
    }

    private void Toggle(byte[] hash)
    {
        for (int i = 0; i < _hash.Length; i++)
        {
            _hash[i] ^= hash[i];
        }
    }

    private bool TryReadFile(string account, [NotNullWhen(true)] out byte[]? bytes)
    {
        bytes = null;
        try
        {
            using var file = new FileStream(PathOf(account), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 0);
            if (file.Length > Jwt.MaxLength + 2)
            {
                _log.AccountRefused(account, $"its file is longer than {Jwt.MaxLength} bytes");
                return false;
            }

            bytes = new byte[file.Length];
            file.ReadExactly(bytes);
            bytes = bytes.AsSpan().Trim(" \r\n"u8).ToArray();
            return true;
        }
        catch (FileNotFoundException)
        {
            Forget(account);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _log.AccountRefused(account, $"its file cannot be read: {e.Message}");
        }

        bytes = null;
        return false;
    }

    private static void RemoveTemporary(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file is not the account's. It is written again or removed at the next start.
        }
    }

    private string PathOf(string account) => Path.Combine(_options.Directory, account + Ending);

    private sealed class Entry
    {
        public required byte[] Hash { get; set; }

        public long LastUse { get; set; }
    }
}
