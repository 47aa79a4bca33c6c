namespace Broker.Server.Security;

/// <summary>
/// What <see cref="ReplyGrants"/> of all clients of one server may hold together. Each may have as much as is still free: the more
/// there are that want much the less each gets, and something is left for whoever comes next. Thread-safe.
/// </summary>
internal sealed class GrantBudget(long most = GrantBudget.MostInAll)
{
    internal const long MostInAll = 64L * 1024 * 1024;

    private long _held;

    /// <summary>Bytes that are held now.</summary>
    internal long Held => Interlocked.Read(ref _held);

    internal long Free => Math.Max(0, most - Held);

    internal void Add(long bytes) => Interlocked.Add(ref _held, bytes);
}
