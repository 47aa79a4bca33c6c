namespace Broker.Server.Security;

/// <summary>
/// How much of what clients sent is kept for as long as it is being decided whether they may come in. Clients of which nothing
/// is known must not fill the memory, one by one or together. Thread-safe.
/// </summary>
internal sealed class HeldBytes(long most = HeldBytes.MostInAll)
{
    internal const int MostOfOne = 64 * 1024;
    internal const long MostInAll = 32L * 1024 * 1024;

    private long _held;

    internal bool TryAdd(int bytes)
    {
        if (Interlocked.Add(ref _held, bytes) <= most)
        {
            return true;
        }

        Remove(bytes);
        return false;
    }

    internal void Remove(int bytes) => Interlocked.Add(ref _held, -bytes);
}
