namespace Broker.Server;

// Builds routes that are not stored yet. A build with much work takes several steps. Between the steps, other threads
// get the lock and the loop serves other connections.
internal sealed partial class Router
{
    // The maximum work of one step of a search, in visited nodes. After a step, other threads get the lock and the loop
    // may serve other connections.
    private const int MaxMatchWork = 2048;

    // An object to build small routes. It can be reused, because small routes are built under the lock.
    private RouteBuild? _spare;

    /// <summary>
    /// Returns the route of a subject. If the route is not stored, it has already expired. Returns null if the search
    /// takes long or finds very many subscriptions. The caller must then build the route by one or more calls of
    /// <see cref="Advance"/>, and at the end call <see cref="EndBuild"/> or <see cref="AbandonBuild"/>.
    /// </summary>
    /// <param name="subject">The subject.</param>
    /// <param name="hash">The hash of the subject with this router's seed.</param>
    /// <param name="storeAlways">
    /// True to store the route in any case; false to store it only if the subject will probably be used again.
    /// </param>
    /// <param name="hits">The number of routes that the caller has found without a call of this method.</param>
    /// <param name="work">Increased by the number of visited nodes and subscriptions.</param>
    /// <param name="build">The build that the caller must complete or abandon if the method returns null.</param>
    internal Route? FindOrBeginBuild(ReadOnlySpan<byte> subject, uint hash, bool storeAlways, int hits, ref long work, out RouteBuild? build)
    {
        lock (_gate)
        {
            build = null;
            _counts.LockedSearches++;
            _counts.Matches += hits + 1;
            _counts.Hits += hits;
            if ((FindStored(subject, hash) ?? _large.Find(subject)) is { } known)
            {
                _counts.Hits++;
                return known;
            }

            _routes.Admission.CountMiss(hits);
            if (!_found.TrySearch(subject, MaxMatchWork, ref work))
            {
                bool isStored = storeAlways || _routes.Admission.ShouldStore(hash, _routes.Count);
                build = new RouteBuild(Seed).Begin(subject.ToArray(), _found.Interrupt(), isStored);
                _large.Begin(build);
                return null;
            }

            bool isKept = storeAlways
                || _found.Count >= LargeRoutes.MinSubscriptions
                || _routes.Admission.ShouldStore(hash, _routes.Count);
            if (FindWithoutBuild(subject, hash, isKept) is { } withoutBuild)
            {
                return withoutBuild;
            }

            // The field is cleared while the build is used, because resolving an import may call this method again.
            RouteBuild begun = _spare ?? new RouteBuild(Seed);
            _spare = null;
            begun.Begin(subject.ToArray(), _found.Take(), Reservations.Subjects);
            if (begun.Found < LargeRoutes.MinSubscriptions)
            {
                begun.Advance(int.MaxValue);
                var route = begun.ToRoute();
                Count(begun);
                begun.Clear();
                _spare = begun;
                if (isKept)
                {
                    _routes.Add(route, hash);
                }
                else
                {
                    route.Expire();
                }

                return route;
            }

            _large.Begin(begun);
            build = begun;
            return null;
        }
    }

    // Handles the frequent cases without a build: a subject without subscribers, and a single message to one
    // subscription. Returns null in all other cases.
    private Route? FindWithoutBuild(ReadOnlySpan<byte> subject, uint hash, bool isKept)
    {
        if (_found.Count == 0)
        {
            _counts.Built++;
            if (!isKept)
            {
                return _withoutSubscribers;
            }

            var empty = new Route(subject.ToArray(), [], [], [], 0);
            _routes.Add(empty, hash);
            return empty;
        }

        if (!isKept && _found.Only is { Queue: null, IsInternal: false } only && only.Access is not { LimitsReceiving: true })
        {
            _found.Clear();
            _counts.Built++;
            _counts.Fanout++;
            _counts.MaxFanout = Math.Max(_counts.MaxFanout, 1);
            return _singleMessageRoute?.PlainSubscriptions[0] == only ? _singleMessageRoute : _singleMessageRoute = Route.ForSingleMessage(only);
        }

        return null;
    }

    /// <summary>
    /// Continues a build. Returns the number of steps: <paramref name="maxSteps"/> or some more, or fewer if the build
    /// or its search is complete.
    /// </summary>
    internal long Advance(RouteBuild build, int maxSteps)
    {
        if (!build.IsMatching)
        {
            return build.Advance(maxSteps);
        }

        lock (_gate)
        {
            long before = _subscriptions.Work;
            if (_subscriptions.Continue(build.Match, build.Subject, Math.Min(maxSteps, MaxMatchWork)))
            {
                build.EndMatch(Reservations.Subjects);
            }

            return _subscriptions.Work - before;
        }
    }

    /// <summary>Completes a build without an interruption. Returns its route.</summary>
    internal Route Complete(RouteBuild build, ref long work)
    {
        while (!build.IsComplete)
        {
            work += Advance(build, int.MaxValue);
        }

        return EndBuild(build);
    }

    /// <summary>
    /// Ends a build and returns its route with all subscriptions that existed when the build began. The route is stored
    /// if later changes can still be applied to it.
    /// </summary>
    internal Route EndBuild(RouteBuild build)
    {
        var route = build.ToRoute();
        lock (_gate)
        {
            _large.End(build);
            uint hash = ByteHash.Compute(build.Subject, Seed);
            if ((FindStored(build.Subject, hash) ?? _large.Find(build.Subject)) is { } known)
            {
                return known;
            }

            Count(build);
            // The number of members determines whether the route is large, not the number of found subscriptions:
            // permissions may have excluded most found subscriptions.
            if (!build.IsOutOfDate && !build.HasRemoteInterest && build.MemberCount >= LargeRoutes.MinSubscriptions && !route.IsReserved)
            {
                route.MakeGrowable(new LateSubscribers(build.MemberCount, build.GroupsByName, Seed));
                _large.Add(route);
                _large.CatchUp(route, build);
            }
            else if (build.IsKept && !build.IsOutOfDate && build.Added.Count + build.RemovedCount == 0)
            {
                _routes.Add(route, hash);
            }
            else
            {
                route.Expire();
            }

            return route;
        }
    }

    /// <summary>Ends a build whose route is not needed any more.</summary>
    internal void AbandonBuild(RouteBuild build)
    {
        lock (_gate)
        {
            _large.End(build);
        }
    }

    private void Count(RouteBuild build)
    {
        _counts.Built++;
        _counts.Fanout += build.MemberCount;
        _counts.MaxFanout = Math.Max(_counts.MaxFanout, build.MemberCount);
    }
}
