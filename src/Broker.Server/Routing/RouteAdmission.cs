namespace Broker.Server;

/// <summary>
/// Decides whether the route of a new subject is stored, so that subjects that are used only once do not replace
/// routes in use. Not thread-safe: the router's lock guards it.
/// </summary>
internal sealed class RouteAdmission(int capacity)
{
    // If more routes than this are stored, the route of a new subject is stored only at the second use of the subject.
    private const int FewRoutes = 1024;
    private const int RecentHashes = 256 * 1024;

    // The hit rate is checked once per this many misses. If the hit rate is low, only one in RejectedPerStored new
    // routes replaces another route.
    private const int MissesPerCheck = 8192;
    private const int RejectedPerStored = 16;

    // Hashes of subjects that were used once recently.
    private uint[]? _recentHashes;
    private uint _randomState;
    private bool _isCrowded;
    private uint _rejected;
    private int _misses;
    private long _hits;

    /// <summary>Counts a search that found no stored route, and the successful searches before it.</summary>
    /// <remarks>
    /// If there are many times more subjects than capacity, each added route replaces a route that is as likely to be
    /// used again. In this case nearly all new routes are rejected, because it is expensive to add a route.
    /// </remarks>
    internal void CountMiss(int hits)
    {
        _hits += hits;
        if (++_misses == MissesPerCheck)
        {
            _isCrowded = _hits < MissesPerCheck;
            _misses = 0;
            _hits = 0;
        }
    }

    /// <summary>
    /// Whether the route of a new subject should be stored. While few routes are stored, every route is stored.
    /// Otherwise a route is stored only if its subject was used recently, because most reply subjects are used only
    /// once.
    /// </summary>
    /// <param name="hash">The hash of the subject.</param>
    /// <param name="stored">The number of routes that are stored now.</param>
    internal bool ShouldStore(uint hash, int stored)
    {
        if (stored < FewRoutes)
        {
            return true;
        }

        if (_isCrowded && stored >= capacity - 1 && _rejected++ % RejectedPerStored != 0)
        {
            return false;
        }

        _recentHashes ??= new uint[RecentHashes];
        ref uint sight = ref _recentHashes[hash % RecentHashes];
        if (sight == hash)
        {
            return true;
        }

        // Two subjects with the same slot would never be stored if each use replaced the hash of the other. So a hash
        // is replaced only in half of the cases.
        _randomState = (_randomState * 1_103_515_245) + 12_345;
        if (sight == 0 || (int)_randomState < 0)
        {
            sight = hash;
        }

        return false;
    }

    /// <summary>
    /// Forgets which subjects without a stored route were used. Only benchmarks call this method, because they use the
    /// same subjects repeatedly.
    /// </summary>
    internal void ForgetRecentSubjects() => _recentHashes?.AsSpan().Clear();
}
