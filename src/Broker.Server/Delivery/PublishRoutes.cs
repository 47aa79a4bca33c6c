using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// Finds the routes of the subjects that one publisher uses. It keeps the last route. If the work budget interrupts the
/// build of a large route, it also keeps this build. Used on the publisher's loop only.
/// </summary>
internal struct PublishRoutes(LoopState state, Router router, AccessRules? access, AccountMappings? mappings)
{
    // The steps of a route build between two checks of the work budget.
    private const int StepsOfBuild = 1024;

    private readonly MappedRoutes? _mapped = mappings is null ? null : new MappedRoutes(router, access);
    private RouteCache _routes = new(router, access, mappings);
    private Route? _last;
    private RouteBuild? _build;

    /// <summary>The route of the last subject; null before the first subject. The route may have expired.</summary>
    internal readonly Route? Last
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _last;
    }

    /// <summary>Whether a publish was deferred and will be repeated.</summary>
    internal readonly bool HasDeferred => _build is not null;

    /// <summary>
    /// Returns the stored route of a subject. If the result is null, the caller must call <see cref="Resolve"/>.
    /// The route is a refusal if the publisher has no permission for the subject. The route becomes <see cref="Last"/>.
    /// For most subjects this method calls no other method, so that the CPU can begin the next message while this
    /// message waits for memory.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? Find(ReadOnlySpan<byte> subject)
        => subject.Length > ByteKey.Short ? FindLong(subject) : FindInline(subject);

    /// <summary>
    /// Searches or builds the route of a subject without a stored route, and charges the work. The route becomes
    /// <see cref="Last"/>. Returns null if the work budget is used up before a large route is built: the caller must
    /// then repeat the publish in a later iteration.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? Resolve(ReadOnlySpan<byte> subject)
    {
        if (_build is not null)
        {
            if (subject.SequenceEqual(_build.Subject))
            {
                return _last = Build(_build);
            }

            Abandon();
        }

        Route? route = _routes.FindOrBeginBuild(subject, out _build);
        state.Budget.Charge(_routes.ExchangeWork());
        return _last = route ?? Build(_build!);
    }

    /// <summary>The mappings of the published subjects; null if the account has no mappings.</summary>
    internal readonly AccountMappings? Mappings => mappings;

    /// <summary>
    /// Maps the subject of a message, finds the route of the new subject and charges the work. Returns null if the
    /// message is dropped. The route does not become <see cref="Last"/>.
    /// </summary>
    /// <param name="route">The route of the published subject.</param>
    /// <param name="subject">The published subject.</param>
    /// <param name="mapped">The new subject; valid until the next call.</param>
    internal readonly Route? FindMapped(Route route, ReadOnlySpan<byte> subject, out ReadOnlySpan<byte> mapped)
    {
        Route? found = _mapped!.Find(route.Mapping!, subject, out mapped, out long work);
        state.Budget.Charge(work);
        return found;
    }

    /// <summary>Cancels the build for a deferred publish.</summary>
    internal void Abandon()
    {
        if (_build is not null)
        {
            router.AbandonBuild(_build);
            _build = null;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Route? FindLong(ReadOnlySpan<byte> subject) => FindInline(subject);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Route? FindInline(ReadOnlySpan<byte> subject)
    {
        var key = ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length);
        Route? route = _last;
        if (route is { IsCurrent: true } && route.IsOf(subject, key))
        {
            return route;
        }

        return _build is null && _routes.FindStored(subject, key) is { } known ? _last = known : null;
    }

    private Route? Build(RouteBuild build)
    {
        do
        {
            state.Budget.Charge(router.Advance(build, StepsOfBuild));
        }
        while (!build.IsComplete && (!state.Budget.IsUsedUp(state.BytesOut) || !(build.IsRegistered || build.IsMatching)));

        if (!build.IsComplete)
        {
            return null;
        }

        _build = null;
        return _routes.Store(router.EndBuild(build));
    }
}
