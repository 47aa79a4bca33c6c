namespace Broker.Server;

/// <summary>
/// Keeps the JWT of each account in a file <c>&lt;account&gt;.jwt</c> of a directory, as nats-server does. Clients of
/// the system account update, list and delete accounts by the requests that <c>nsc push</c> and <c>nsc pull</c> use. A
/// server with such a resolver needs a system account. Immutable.
/// </summary>
public sealed class DirectoryResolver : AccountResolver
{
    private const int DefaultCacheLimit = 1000;

    /// <summary>Creates a resolver.</summary>
    /// <param name="directory">The directory. The server creates it if it does not exist.</param>
    public DirectoryResolver(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        Directory = directory;
    }

    /// <summary>The directory.</summary>
    public string Directory { get; }

    /// <summary>
    /// Whether the directory is a cache, which holds only some accounts: a request to update an account that is not in
    /// use has no effect, and requests for the JWTs of accounts have no responder. Default: false, the directory holds
    /// all accounts.
    /// </summary>
    public bool IsCache { get; init; }

    /// <summary>The effect of a request to delete an account. A cache always removes its file.</summary>
    public AccountDeletion Deletion { get; init; }

    /// <summary>
    /// The maximum number of accounts. At the limit, a cache removes the account that was not used for the longest
    /// time, and another directory refuses a new account. Null, the default: 1,000 for a cache, and otherwise no limit.
    /// </summary>
    public int? Limit { get; init; }

    /// <summary>
    /// The age after which a cache does not use a file any more. Null, the default: no limit. Only for a cache.
    /// </summary>
    public TimeSpan? Lifetime { get; init; }

    /// <summary>
    /// The time between two comparisons of the directory with that of another server in the same system account, from
    /// which the server takes newer accounts. Default: 2 minutes. A cache is not compared.
    /// </summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The maximum number of accounts.</summary>
    internal int MaxAccounts => Limit ?? (IsCache ? DefaultCacheLimit : int.MaxValue);

    /// <inheritdoc/>
    internal override bool IsSameAs(AccountResolver? other)
        => base.IsSameAs(other) && other is DirectoryResolver same
            && string.Equals(Directory, same.Directory, StringComparison.Ordinal)
            && (IsCache, Deletion, Limit, Lifetime, Interval) == (same.IsCache, same.Deletion, same.Limit, same.Lifetime, same.Interval);

    /// <inheritdoc/>
    internal override void Validate()
    {
        base.Validate();
        string? problem = Limit <= 0 ? $"{nameof(Limit)} must be more than 0"
            : Lifetime <= TimeSpan.Zero ? $"{nameof(Lifetime)} must be more than zero"
            : Lifetime is not null && !IsCache ? $"only a cache has a {nameof(Lifetime)}"
            : Interval <= TimeSpan.Zero || Interval > TimeSpan.FromDays(1) ? $"{nameof(Interval)} must be more than zero and at most one day"
            : IsCache && Deletion == AccountDeletion.Renames ? "a cache cannot rename the files of deleted accounts"
            : Deletion is < AccountDeletion.Refused or > AccountDeletion.Removes ? $"{nameof(Deletion)} is unknown"
            : null;
        if (problem is not null)
        {
            throw new ArgumentException($"The resolver with the directory '{Directory}' is wrong: {problem}.");
        }
    }
}
