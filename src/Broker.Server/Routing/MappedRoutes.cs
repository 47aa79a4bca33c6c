namespace Broker.Server;

/// <summary>
/// Maps the subjects of one publisher's messages and finds the routes of the new subjects. Used on the publisher's loop
/// only.
/// </summary>
/// <param name="router">The router of the publisher's account.</param>
/// <param name="access">The permissions of the publisher; null if it may publish everything.</param>
internal sealed class MappedRoutes(Router router, AccessRules? access)
{
    // The cost of a mapping, in visited nodes.
    private const int StepsOfMapping = 4;

    private readonly SubjectBuffer _subject = new();

    // This cache has no mappings, because a mapped subject is not mapped again.
    private RouteCache _routes = new(router, access);

    /// <summary>Returns the route of a message's new subject; null if the message is dropped.</summary>
    /// <param name="mapping">The mapping of the published subject.</param>
    /// <param name="subject">The published subject.</param>
    /// <param name="mapped">The new subject; valid until the next call.</param>
    /// <param name="work">The number of visited nodes and subscriptions.</param>
    internal Route? Find(SubjectMapping mapping, ReadOnlySpan<byte> subject, out ReadOnlySpan<byte> mapped, out long work)
    {
        _subject.Clear();
        Route? route = mapping.TryMap(subject, _subject) ? _routes.Find(_subject.Written) : null;
        mapped = _subject.Written;
        work = StepsOfMapping + _routes.ExchangeWork();
        return route;
    }
}
