using System.Collections.Concurrent;

namespace Broker.Server;

/// <summary>
/// Takes accounts into use: from the files of a directory or from a URL. Nothing of this runs on an event loop.
/// Thread-safe.
/// </summary>
internal sealed class AccountLoader : IAccountLoader, IDisposable
{
    /// <summary>The maximum number of accounts that are being looked for.</summary>
    internal const int MaxLookups = 256;

    // An account with more imports has an effect, but imports from accounts beyond this number do not.
    private const int MaxExporters = 1000;

    private readonly ServerCore _core;
    private readonly AccountUpdates _updates;
    private readonly AccountResolver _options;
    private readonly UrlSource? _source;
    private readonly ConcurrentDictionary<string, Task> _lookups = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _verifications = new(Math.Max(1, Environment.ProcessorCount / 2));
    private readonly CancellationTokenSource _stop = new();
    private int _count;

    internal AccountLoader(ServerCore core, AccountUpdates updates, AccountResolver options, AccountFiles? files, UrlSource? source)
    {
        _core = core;
        _updates = updates;
        _options = options;
        Files = files;
        _source = source;
    }

    /// <summary>The files of the accounts; null without a directory.</summary>
    internal AccountFiles? Files { get; }

    /// <summary>The way to other servers; null without a directory. Set before the first client connects.</summary>
    internal ClaimChannel? Peers { get; set; }

    /// <summary>
    /// Held while an account changes. So a lookup that began before an update cannot put the earlier JWT into use.
    /// </summary>
    internal SemaphoreSlim Order { get; } = new(1);

    private OperatorMode Tokens => (OperatorMode)_core.Security.Tokens!;

    /// <inheritdoc/>
    public bool TryBegin(string account, out Task found)
    {
        found = Task.CompletedTask;
        if (_lookups.TryGetValue(account, out Task? known))
        {
            found = known;
            return true;
        }

        if (Interlocked.Increment(ref _count) > MaxLookups)
        {
            Interlocked.Decrement(ref _count);
            return false;
        }

        var own = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        found = _lookups.GetOrAdd(account, own.Task);
        if (found == own.Task)
        {
            _ = RunAsync(account, own);
        }
        else
        {
            Interlocked.Decrement(ref _count);
        }

        return true;
    }

    /// <summary>Finds the accounts that these claims import from and that are not in use, and puts them all into use.</summary>
    /// <param name="accounts">The claims. The caller holds <see cref="Order"/>.</param>
    internal async Task UseAsync(IReadOnlyList<AccountClaims> accounts)
    {
        using CancellationTokenSource limit = Limit();
        Dictionary<string, (AccountClaims Claims, string? Text)> exporters = await FindAsync(accounts.SelectMany(static a => a.Imports.Select(static i => i.Account)), limit.Token).ConfigureAwait(false);
        await _updates.ApplyAsync([.. accounts, .. exporters.Values.Select(static e => e.Claims)], []).ConfigureAwait(false);
    }

    /// <summary>Finds the accounts in use again, and puts those into use that have a newer JWT.</summary>
    internal async Task RefreshAllAsync(CancellationToken cancellationToken)
    {
        foreach (AccountClaims before in _updates.InUse())
        {
            using CancellationTokenSource limit = Limit();
            (AccountClaims Claims, string? Text)? found = await FindOneAsync(before.Key, limit.Token).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            if (found is not { Claims: var claims } || claims.Jwt.IssuedAt <= before.Jwt.IssuedAt)
            {
                continue;
            }

            await Order.WaitAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                await UseAsync([claims]).ConfigureAwait(false);
            }
            finally
            {
                Order.Release();
            }

            _core.Log.AccountChanged(before.Key, "updated by its web server");
        }
    }

    /// <summary>Whether the account was deleted after its JWT was issued.</summary>
    internal bool IsDeleted(AccountClaims account)
    {
        try
        {
            return Files?.ReadDeleted(account.Key) is { } deleted && Tokens.ReadTrusted(deleted).Jwt.IssuedAt >= account.Jwt.IssuedAt;
        }
        catch (JwtException)
        {
            return false;
        }
    }

    public void Dispose() => _stop.Cancel();

    private CancellationTokenSource Limit()
    {
        var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        limit.CancelAfter(_options.Timeout);
        return limit;
    }

    private async Task RunAsync(string account, TaskCompletionSource found)
    {
        await Task.Yield();
        try
        {
            using CancellationTokenSource limit = Limit();
            Dictionary<string, (AccountClaims Claims, string? Text)> accounts = await FindAsync([account], limit.Token).ConfigureAwait(false);
            if (accounts.Count != 0)
            {
                await Order.WaitAsync(_stop.Token).ConfigureAwait(false);
                try
                {
                    Use(accounts);
                }
                finally
                {
                    Order.Release();
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The time is over, or the server stops. The client is refused, and the next one looks again.
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _core.Log.Fault(e);
        }
        finally
        {
            _lookups.TryRemove(account, out _);
            Interlocked.Decrement(ref _count);
            found.SetResult();
        }
    }

    private void Use(Dictionary<string, (AccountClaims Claims, string? Text)> accounts)
    {
        foreach ((string key, (_, string? text)) in accounts)
        {
            // An update or a deletion has come meanwhile. The next client of the account finds its result.
            if (text is not null && Files is { } files && !files.Has(key, text))
            {
                accounts.Remove(key);
            }
        }

        int most = (_options as DirectoryResolver)?.MaxAccounts ?? int.MaxValue;
        _updates.Add([.. accounts.Values.Select(static a => a.Claims).Where(a => Tokens.NeedsLookup(a.Key))], most);
    }

    // Finds accounts and those that they import from, as far as they are not in use.
    private async Task<Dictionary<string, (AccountClaims Claims, string? Text)>> FindAsync(IEnumerable<string> accounts, CancellationToken cancellationToken)
    {
        var found = new Dictionary<string, (AccountClaims Claims, string? Text)>(StringComparer.Ordinal);
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var ahead = new Queue<string>(accounts);
        while (ahead.TryDequeue(out string? account) && found.Count < MaxExporters)
        {
            if (seen.Add(account) && Tokens.NeedsLookup(account) && await FindOneAsync(account, cancellationToken).ConfigureAwait(false) is { } one)
            {
                found.Add(account, one);
                foreach (ImportClaim import in one.Claims.Imports)
                {
                    ahead.Enqueue(import.Account);
                }
            }
        }

        return found;
    }

    private async Task<(AccountClaims Claims, string? Text)?> FindOneAsync(string account, CancellationToken cancellationToken)
    {
        bool isStored = false;
        string? text = null;
        if (Files is { } files)
        {
            isStored = files.TryRead(account, out text);
        }

        text ??= await FetchAsync(account, cancellationToken).ConfigureAwait(false);
        if (text is null)
        {
            return null;
        }

        await _verifications.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            AccountClaims claims = Tokens.ReadTrusted(text);
            if (!string.Equals(claims.Key, account, StringComparison.Ordinal))
            {
                throw new JwtException($"\"sub\" is {claims.Key}");
            }

            if (!isStored && IsDeleted(claims))
            {
                throw new JwtException("the account was deleted, and another server still has it");
            }

            return (claims, isStored || TryStore(account, text) ? text : null);
        }
        catch (JwtException e)
        {
            _core.Log.AccountRefused(account, $"its JWT is refused: {e.Message}");
            return null;
        }
        finally
        {
            _verifications.Release();
        }
    }

    private async Task<string?> FetchAsync(string account, CancellationToken cancellationToken)
    {
        try
        {
            return _source is not null ? await _source.FetchAsync(account, cancellationToken).ConfigureAwait(false)
                : Peers is not null ? await Peers.LookUpAsync(account, cancellationToken).ConfigureAwait(false)
                : null;
        }
        catch (OperationCanceledException)
        {
            _core.Log.AccountRefused(account, $"its JWT was not found within {_options.Timeout.TotalSeconds:0.###} s");
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _core.Log.AccountRefused(account, $"its JWT cannot be fetched: {e.Message}");
        }

        return null;
    }

    // A directory that cannot be written does not keep a client out.
    private bool TryStore(string account, string text)
    {
        try
        {
            Files?.Save(account, text);
            return Files is not null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _core.Log.AccountRefused(account, $"its JWT cannot be stored: {e.Message}");
            return false;
        }
    }
}
