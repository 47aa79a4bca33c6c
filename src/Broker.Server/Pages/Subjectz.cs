namespace Broker.Server;

/// <summary>
/// The response of <c>/subjectz</c>: the subjects with the most traffic. nats-server has no such page.
/// </summary>
internal sealed record Subjectz(string ServerId, DateTime Now, int SampleSubjects, IEnumerable<SubjectzEntry> Subjects)
{
    internal static Subjectz From(ServerDescription server, SubjectPage page) => new(
        server.Id,
        server.Now,
        page.Interval,
        page.Subjects.Select(s => new SubjectzEntry(s.Account, s.Subject, s.IsCut ? true : null, s.Messages, s.Bytes)));
}
