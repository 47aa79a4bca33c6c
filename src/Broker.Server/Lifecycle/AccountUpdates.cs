using System.Collections.Concurrent;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Adds, changes and removes accounts of an operator while the server runs. Only the clients of the accounts that
/// change are visited. Thread-safe.
/// </summary>
internal sealed class AccountUpdates(ServerCore core, SystemRequests requests) : IDisposable
{
    // The timer starts again after this time. So a clock that is set meanwhile counts, and no timer is too long.
    private static readonly TimeSpan LongestTimer = TimeSpan.FromHours(1);

    // Runs only while a JWT of an account can expire.
    private ITimer? _timer;
    private bool _disposed;

    /// <summary>The lock of all changes of the accounts and of the options.</summary>
    internal Lock Gate { get; } = new();

    private OperatorMode? Tokens => core.Security.Tokens as OperatorMode;

    private long Now => core.Time.GetUtcNow().ToUnixTimeSeconds();

    /// <summary>
    /// Starts the timer for the next time when a JWT of an account or an activation expires or becomes valid, and logs
    /// imports without effect. Called when the server has started, and after a reload of the options.
    /// </summary>
    internal void Restart()
    {
        lock (Gate)
        {
            if (Tokens is { } tokens && !_disposed)
            {
                Warn(tokens.Graph.All);
            }

            StartTimer();
        }
    }

    /// <summary>
    /// Adds, replaces and removes accounts. When the task completes, each client of these accounts, and of those that
    /// import from them, has the new rights or is closed.
    /// </summary>
    /// <param name="set">The claims of the accounts to add or to replace.</param>
    /// <param name="removed">The keys of the accounts to remove.</param>
    internal async Task ApplyAsync(IReadOnlyCollection<AccountClaims> set, IReadOnlyCollection<string> removed)
    {
        List<Account> changed;
        lock (Gate)
        {
            changed = Apply(set, removed);
        }

        await LoopFlush.RunAsync(core.Loops, ServerShutdown.MaxWait).ConfigureAwait(false);
        await CloseExcessAsync(changed).ConfigureAwait(false);
    }

    /// <summary>
    /// Adds accounts that no client uses yet, and does not wait for the loops. Then removes accounts without clients,
    /// as far as there are more than <paramref name="most"/>; they are found again when a client needs them.
    /// </summary>
    internal void Add(IReadOnlyCollection<AccountClaims> added, int most)
    {
        lock (Gate)
        {
            Apply(added, []);
            if (Tokens is { } tokens && tokens.Graph.Count > most)
            {
                var kept = new HashSet<string>(added.Select(static a => a.Key), StringComparer.Ordinal);
                string[] unused =
                [
                    .. tokens.Graph.All.Select(static a => a.Claims.Key).Where(a => !kept.Contains(a) && IsUnused(tokens, a)).Take(tokens.Graph.Count - most),
                ];
                Apply([], unused);
            }
        }
    }

    /// <summary>
    /// Closes clients of each account that has more clients than its maximum, which a reload has lowered: those that
    /// came last.
    /// </summary>
    internal Task CloseExcessAsync() => CloseExcessAsync(core.Accounts.All);

    /// <summary>The claims of all accounts in use.</summary>
    internal IReadOnlyList<AccountClaims> InUse()
    {
        lock (Gate)
        {
            return [.. Tokens?.Graph.All.Select(static a => a.Claims) ?? []];
        }
    }

    /// <summary>Whether an account in use imports from this one, which need not be in use.</summary>
    internal bool IsImported(string account)
    {
        lock (Gate)
        {
            return Tokens?.Graph.IsImported(account) == true;
        }
    }

    public void Dispose()
    {
        lock (Gate)
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private bool IsUnused(OperatorMode tokens, string account)
        => !string.Equals(account, tokens.SystemAccount, StringComparison.Ordinal) && !tokens.Graph.IsImported(account)
            && core.Options.Operator?.Accounts.ContainsKey(account) != true
            && core.Accounts.Find(account) is { Connections: 0, Peers: 0 };

    private List<Account> Apply(IReadOnlyCollection<AccountClaims> set, IReadOnlyCollection<string> removed)
    {
        if (Tokens is not { } tokens || _disposed)
        {
            return [];
        }

        // The operators may have changed since the JWT was verified.
        set = [.. set.Where(tokens.Trusts)];

        // Logins must not see new claims before the account exists, and must not see the claims of a removed account.
        foreach (string account in removed)
        {
            tokens.Withdraw(account);
        }

        List<Account> changed = [.. removed.Select(core.Accounts.Find).OfType<Account>()];
        changed.ForEach(requests.Forget);
        IReadOnlyList<LinkedAccount> linked = tokens.Graph.Apply(set, removed, Now);
        if (core.Accounts.Apply([.. linked.Select(static l => (l.Options, l.Effective))], removed))
        {
            core.Targets.ApplyImports();
        }

        foreach (Account account in linked.Select(l => core.Accounts.Find(l.Claims.Key)).OfType<Account>())
        {
            requests.Subscribe(account);
            changed.Add(account);
        }

        foreach (AccountClaims claims in set)
        {
            tokens.Publish(claims);
        }

        Warn(linked);
        StartTimer();
        Tell(changed);
        return changed;
    }

    // No client is missed: a login that began before the claims changed is checked on its loop after it has ended.
    private void Tell(List<Account> changed)
    {
        for (int i = 0; i < core.Loops.Count; i++)
        {
            int loop = i;
            core.Loops[loop].Run(() =>
            {
                foreach (IAccountMember member in changed.SelectMany(a => a.Members?.Of(loop) ?? []))
                {
                    member.OnAccountChanged();
                }
            });
        }
    }

    // Closes the clients that came last if an account has more clients than its maximum.
    private async Task CloseExcessAsync(IEnumerable<Account> changed)
    {
        foreach (Account account in changed.Where(static a => a.Connections > a.Limits.Connections).ToArray())
        {
            IReadOnlyCollection<(EventLoop Loop, IAccountMember Member)> members = await MembersOfAsync(account).ConfigureAwait(false);
            int excess = account.Connections - (account.Limits.Connections ?? int.MaxValue);
            foreach ((EventLoop loop, IAccountMember member) in members.OrderByDescending(static m => m.Member.Id).Take(Math.Max(0, excess)))
            {
                loop.Run(member.OnAccountFull);
            }

            await LoopFlush.RunAsync(core.Loops, ServerShutdown.MaxWait).ConfigureAwait(false);
        }
    }

    // Only accounts of operators know their clients.
    private async Task<IReadOnlyCollection<(EventLoop Loop, IAccountMember Member)>> MembersOfAsync(Account account)
    {
        if (account.Members is not { } known)
        {
            return [.. core.Sessions.Where(s => s.Account == account).Select(static s => (s.Loop, (IAccountMember)s))];
        }

        var members = new ConcurrentBag<(EventLoop Loop, IAccountMember Member)>();
        for (int i = 0; i < core.Loops.Count; i++)
        {
            EventLoop loop = core.Loops[i];
            loop.Run(() => Array.ForEach(known.Of(loop.Index), member => members.Add((loop, member))));
        }

        await LoopFlush.RunAsync(core.Loops, ServerShutdown.MaxWait).ConfigureAwait(false);
        return members;
    }

    private void Warn(IEnumerable<LinkedAccount> accounts)
    {
        foreach (string warning in accounts.SelectMany(static a => a.Warnings))
        {
            core.Log.ImportWithoutEffect(warning);
        }
    }

    private void StartTimer()
    {
        if (_disposed || Tokens is not { Graph.NextChange: var next and not long.MaxValue })
        {
            _timer?.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            return;
        }

        double seconds = Math.Clamp(next - (core.Time.GetUtcNow().ToUnixTimeMilliseconds() / 1000.0), 0, LongestTimer.TotalSeconds);
        _timer ??= core.Time.CreateTimer(static self => ((AccountUpdates)self!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(TimeSpan.FromSeconds(seconds), Timeout.InfiniteTimeSpan);
    }

    private void OnTimer()
    {
        lock (Gate)
        {
            if (!_disposed && Tokens is { } tokens)
            {
                IReadOnlyList<AccountClaims> due = tokens.Graph.Due(Now);
                if (due.Count != 0)
                {
                    Apply(due, []);
                }
                else
                {
                    StartTimer();
                }
            }
        }
    }
}
