using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// The accounts of one server. A reload keeps the object of each account that still exists. Thread-safe.
/// </summary>
internal sealed class AccountDirectory : IDisposable
{
    private static readonly TimeSpan SweepInterval = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, Account> _accounts = new(StringComparer.Ordinal);
    private readonly EventLoopGroup _loops;

    // The timer only runs while a request waits for a reply.
    private readonly ITimer _sweeper;
    private int _sweeps;
    private int _disposed;

    internal AccountDirectory(AccountPlan plan, EventLoopGroup loops)
    {
        _loops = loops;
        _sweeper = loops.TimeProvider.CreateTimer(
            static self => ((AccountDirectory)self!).Sweep(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Global = Add(AccountNames.Global);
        Apply(plan);
    }

    /// <summary>The account of clients that are in no other account.</summary>
    internal Account Global { get; }

    /// <summary>The account in which the server publishes its own events.</summary>
    internal Account SystemAccount { get; private set; }

    internal IEnumerable<Account> All => _accounts.Values;

    internal Account? Find(string name) => _accounts.GetValueOrDefault(name);

    private DateTime Now => _loops.TimeProvider.GetUtcNow().UtcDateTime;

    /// <summary>
    /// Creates, changes and removes accounts according to a plan. The caller must close the clients of removed
    /// accounts.
    /// </summary>
    [MemberNotNull(nameof(SystemAccount))]
    internal void Apply(AccountPlan plan)
    {
        foreach (string name in plan.Accounts.Keys.Append(plan.SystemAccount))
        {
            Add(name);
        }

        ILookup<string, ImportLink> links = plan.Links.ToLookup(l => l.Importer, StringComparer.Ordinal);
        foreach (Account account in _accounts.Values)
        {
            plan.Accounts.TryGetValue(account.Name, out AccountOptions? options);
            account.IsSystem = string.Equals(account.Name, plan.SystemAccount, StringComparison.Ordinal);
            if (plan.HasMembers && account != Global)
            {
                account.Members ??= new AccountMembers(_loops.Count);
            }

            Set(account, options, account == Global ? plan.GlobalMappings : options?.Mappings ?? []);
            account.Import(links[account.Name], name => _accounts[name]);
            if (options is null && account != Global && !account.IsSystem)
            {
                Remove(account);
            }
        }

        SystemAccount = _accounts[plan.SystemAccount];
    }

    /// <summary>
    /// Creates or changes some accounts of an operator, and removes others. The caller must close the clients of
    /// removed accounts.
    /// </summary>
    /// <param name="accounts">The accounts to create or to change, each with its imports.</param>
    /// <param name="removed">The names of the accounts to remove.</param>
    /// <returns>Whether the imports of an account have changed.</returns>
    internal bool Apply(IReadOnlyCollection<(AccountOptions Options, IReadOnlyList<ImportLink> Links)> accounts, IReadOnlyCollection<string> removed)
    {
        foreach ((AccountOptions options, _) in accounts)
        {
            Account account = Add(options.Name);
            account.Members ??= new AccountMembers(_loops.Count);
            Set(account, options, options.Mappings);
        }

        bool imports = false;
        foreach ((AccountOptions options, IReadOnlyList<ImportLink> links) in accounts)
        {
            imports |= _accounts[options.Name].Import(links, name => _accounts[name]);
        }

        foreach (string name in removed)
        {
            if (Find(name) is { } account && account != SystemAccount)
            {
                account.Import([], name => _accounts[name]);
                Remove(account);
            }
        }

        return imports;
    }

    private void Set(Account account, AccountOptions? options, IReadOnlyList<SubjectMapping> mappings)
    {
        account.Links = new AccountLinks(options?.Exports ?? [], account.Links.Imports);
        account.Limits = AccountLimits.Of(options);
        account.Updated = Now;
        if (mappings.Count != 0 || account.Mappings.Count != 0)
        {
            account.Mappings = mappings;
            account.Router.SetMappings(AccountMappings.Create(mappings, account.Router.Seed));
        }
    }

    private void Remove(Account account)
    {
        _accounts.TryRemove(account.Name, out _);
        account.Detach();
        foreach (Account other in _accounts.Values)
        {
            other.RemoveRepliesFrom(account);
        }
    }

    public void Dispose()
    {
        Volatile.Write(ref _disposed, 1);
        _sweeper.Dispose();
    }

    private Account Add(string name)
        => _accounts.GetOrAdd(
            name,
            static (name, self) => new Account(name, self.StartSweeps) { Updated = self.Now },
            this);

    private void StartSweeps(Account account)
    {
        if (Volatile.Read(ref _sweeps) == 0 && Interlocked.Exchange(ref _sweeps, 1) == 0)
        {
            Start();
        }
    }

    private void Start()
    {
        if (Volatile.Read(ref _disposed) == 0)
        {
            try
            {
                _sweeper.Change(SweepInterval, Timeout.InfiniteTimeSpan);
            }
            catch (ObjectDisposedException)
            {
                // The directory was disposed after the check.
            }
        }
    }

    private void Sweep()
    {
        // Reset the flag before the accounts are visited, so that a request that is added meanwhile starts another
        // sweep.
        Volatile.Write(ref _sweeps, 0);
        bool any = false;
        foreach (Account account in _accounts.Values)
        {
            any |= account.Requests.Sweep(_loops.CurrentTick);
        }

        if (any)
        {
            StartSweeps(Global);
        }
    }
}
