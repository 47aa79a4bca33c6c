namespace Broker.Streams.Tests.Simulation;

/// <summary>A disk in memory. Each change of it is a point at which the machine or the process can end.</summary>
internal sealed class SimulatedDisk : IStoreFiles
{
    private readonly List<(string? From, string? To, SimulatedFile? File)> _pending = [];
    private Dictionary<string, SimulatedFile> _names = new(StringComparer.Ordinal);
    private Dictionary<string, SimulatedFile> _durableNames = new(StringComparer.Ordinal);
    private bool _hasCrashed;
    private bool _isReplacing;
    private bool _isLocked;

    public string Location => "simulated";

    public bool EndWithProcess => false;

    /// <summary>The number of changes so far.</summary>
    public long Steps { get; private set; }

    /// <summary>The change at which the process ends.</summary>
    public long CrashAt { get; set; } = long.MaxValue;

    /// <summary>Whether the change at the end is made, and waits for a sync.</summary>
    public bool CrashesAfter { get; set; }

    /// <summary>The operation at the end, for example "write log".</summary>
    public string CrashedIn { get; private set; } = "";

    /// <summary>Decides by its name whether an operation fails, as on a full or broken disk.</summary>
    public Func<string, bool> Fails { get; set; } = static _ => false;

    /// <summary>Called before each operation, for example to block it.</summary>
    public Action<string> Before { get; set; } = static _ => { };

    /// <summary>
    /// Whether the process ended while a segment that was there took a new file: from the creation of the file to its
    /// index.
    /// </summary>
    public bool CrashedInReplacement { get; private set; }

    /// <summary>Whether a segment that was there takes a new file.</summary>
    public bool IsInReplacement => _isReplacing;

    public int Syncs { get; private set; }

    public IReadOnlyDictionary<string, SimulatedFile> Files => _names;

    public IReadOnlyList<string> List() => [.. _names.Keys];

    public IStoreFile Create(string name)
    {
        Assert.DoesNotContain(name, (IReadOnlyDictionary<string, SimulatedFile>)_names);
        var file = new SimulatedFile();
        Step("create", name, () => Rename(null, name, file));
        return new Handle(this, name, file);
    }

    public IStoreFile Open(string name) => new Handle(this, name, _names[name]);

    public void Rename(string from, string to) => Step("rename", to, () => Rename(from, to, _names[from]));

    public void Delete(string name) => Step("delete", name, () => Rename(name, null, null));

    public void SyncDirectory() => Step("sync", "directory", () =>
    {
        _durableNames = new(_names, StringComparer.Ordinal);
        _pending.Clear();
    });

    public IDisposable Lock(string name)
    {
        if (_isLocked)
        {
            throw new StoreException("The simulated store is in use.");
        }

        _isLocked = true;
        return new Held(this);
    }

    /// <summary>Ends the process. Its changes are kept, and those that were not synced can still be lost.</summary>
    public void EndProcess()
    {
        _hasCrashed = false;
        _isReplacing = false;
        _isLocked = false;
        CrashAt = long.MaxValue;
    }

    /// <summary>Ends the machine. Changes that were not synced are kept, lost, or kept in part.</summary>
    public void LosePower(Random random)
    {
        EndProcess();
        var loss = (PowerLoss)random.Next(4);
        foreach ((string? from, string? to, SimulatedFile? file) in _pending)
        {
            if (loss == PowerLoss.KeepsAll || (loss != PowerLoss.LosesAll && random.Next(2) == 0))
            {
                Apply(_durableNames, from, to, file);
            }
        }

        _pending.Clear();
        foreach (SimulatedFile file in _names.Values.Concat(_durableNames.Values).Distinct())
        {
            file.LosePower(random, loss);
        }

        _names = new(_durableNames, StringComparer.Ordinal);
    }

    /// <summary>A copy of everything, on a disk of its own.</summary>
    public SimulatedDisk Copy()
    {
        var copy = new SimulatedDisk();
        foreach ((string name, SimulatedFile file) in _names)
        {
            var other = new SimulatedFile { Current = (byte[])file.Current.Clone() };
            other.Sync();
            copy._names.Add(name, other);
            copy._durableNames.Add(name, other);
        }

        return copy;
    }

    private static void Apply(Dictionary<string, SimulatedFile> names, string? from, string? to, SimulatedFile? file)
    {
        if (from is not null)
        {
            names.Remove(from);
        }

        if (to is not null)
        {
            names[to] = file!;
        }
    }

    private void Rename(string? from, string? to, SimulatedFile? file)
    {
        _pending.Add((from, to, file));
        Apply(_names, from, to, file);
    }

    private void Step(string operation, string name, Action change)
    {
        if (_hasCrashed)
        {
            throw new SimulatedCrash();
        }

        string what = $"{operation} {(name.Contains('.', StringComparison.Ordinal) ? name[(name.LastIndexOf('.') + 1)..] : name)}";
        Before(what);
        if (Fails(what))
        {
            throw new IOException($"The simulated disk fails: {what}.");
        }

        Steps++;
        bool isReplacing = IsReplacing(what, name);
        if (Steps < CrashAt)
        {
            change();
            return;
        }

        CrashedInReplacement = isReplacing;

        _hasCrashed = true;
        CrashedIn = what;
        if (CrashesAfter)
        {
            change();
        }

        throw new SimulatedCrash();
    }

    // A new segment has no file of its name yet.
    private bool IsReplacing(string what, string name)
    {
        if (what == "create tmp" && name.EndsWith(StoreFileNames.SegmentEnd + StoreFileNames.Temporary, StringComparison.Ordinal))
        {
            _isReplacing = _names.ContainsKey(name[..^StoreFileNames.Temporary.Length]);
        }

        bool isReplacing = _isReplacing;
        _isReplacing &= what != "rename idx";
        return isReplacing;
    }

    private sealed class Handle(SimulatedDisk disk, string name, SimulatedFile file) : IStoreFile
    {
        // A new segment keeps the name that it was created with, and gets another one when it is complete.
        private string Name => disk._names.FirstOrDefault(pair => pair.Value == file).Key ?? name;

        public long Length => file.Current.Length;

        public void Write(ReadOnlySpan<byte> bytes, long offset)
        {
            byte[] copy = bytes.ToArray();
            bool isCheckpoint = offset == SegmentHeader.Length && Name.EndsWith(StoreFileNames.SegmentEnd, StringComparison.Ordinal);
            disk.Step("write", isCheckpoint ? "checkpoint" : Name, () => file.Write(copy, offset));
        }

        public bool TryReadNow(Span<byte> buffer, long offset) => !disk.Fails("read log") && Read(buffer, offset) == buffer.Length;

        public int Read(Span<byte> buffer, long offset)
        {
            if (disk.Fails("read log"))
            {
                throw new IOException("The simulated disk cannot read.");
            }

            if (offset >= file.Current.Length)
            {
                return 0;
            }

            int count = (int)Math.Min(buffer.Length, file.Current.Length - offset);
            file.Current.AsSpan((int)offset, count).CopyTo(buffer);
            return count;
        }

        public void SetLength(long length) => disk.Step("set length", Name, () => file.SetLength(length));

        public void Sync()
        {
            disk.Step("sync", Name, file.Sync);
            disk.Syncs++;
        }

        public void Dispose()
        {
        }
    }

    private sealed class Held(SimulatedDisk disk) : IDisposable
    {
        public void Dispose() => disk._isLocked = false;
    }
}
