using System.Text;
using Broker.Protocol;

namespace Broker.Server.Tests.Accounts;

public sealed class ImportMappingTests
{
    [Theory]
    [InlineData("x.>", "p.x.>", "x.1.2", "p.x.1.2")]
    [InlineData("x.*.*", "z.$2.$1", "x.1.2", "z.2.1")]
    [InlineData("x.*.*", "z.*.*", "x.1.2", "z.1.2")]
    [InlineData("x.*.*", "z.{{wildcard(2)}}.{{ Wildcard( 1 ) }}", "x.1.2", "z.2.1")]
    [InlineData("x.*.*", "$2.{{wildcard(1)}}.x.*.*", "x.1.2", "2.1.x.1.2")]
    [InlineData("x.*.>", "z.$1.>", "x.1.2.3", "z.1.2.3")]
    [InlineData("x.*", "$1.$1", "x.a", "a.a")]
    [InlineData("q", "r.s", "q", "r.s")]
    [InlineData(">", "all.>", "x", "all.x")]
    public void A_subject_is_called_so_there_and_so_here(string remote, string local, string there, string here)
    {
        ImportMapping mapping = ImportMapping.Create(remote, local, isOneWay: false, out _)!;
        Assert.Equal(here, Text(mapping.ToLocal(Bytes(there))));
        Assert.Equal(there, Text(mapping.ToRemote(Bytes(here))));
    }

    [Fact]
    public void A_subject_outside_the_pattern_is_not_mapped()
    {
        ImportMapping mapping = ImportMapping.Create("x.*.*", "z.$2.$1.$1", isOneWay: false, out _)!;
        Assert.Null(mapping.ToLocal("x.1"u8));
        Assert.Null(mapping.ToLocal("y.1.2"u8));
        Assert.Null(mapping.ToLocal("x.1.2.3"u8));
        Assert.Null(mapping.ToRemote("z.2.1.3"u8));
        Assert.Equal("x.1.2", Text(mapping.ToRemote("z.2.1.1"u8)));
    }

    [Theory]
    [InlineData("x.*.*", "z.$2", false)]
    [InlineData("x.>", "z", false)]
    [InlineData("x", "z.>", true)]
    [InlineData("x.*", "z.*.*", false)]
    [InlineData("x..y", "z", false)]
    [InlineData("x", "z.>.y", false)]
    [InlineData("x.*", "z.{{wildcard(2)}}", false)]
    [InlineData("x.*", "z.{{wildcard(0)}}.*", false)]
    [InlineData("x.*", "z.{{partition(3,1)}}.*", false)]
    [InlineData("x.*", "z.{{split(1,-)}}.*", true)]
    public void Patterns_that_do_not_fit_together_are_refused(string remote, string local, bool isOneWay)
    {
        Assert.Null(ImportMapping.Create(remote, local, isOneWay, out string? problem));
        Assert.NotNull(problem);
    }

    [Fact]
    public void A_requestor_may_say_more_than_the_service_hears()
        => Assert.Equal("x", Text(ImportMapping.Create("x", "z.*", isOneWay: true, out _)!.ToRemote("z.1"u8)));

    // Tests every subject of up to four tokens of three kinds with every filter. The added subscription must receive
    // what the client's own filter matches by the local subject.
    [Theory]
    [InlineData("x.>", "p.x.>")]
    [InlineData("x.*.*", "z.$2.$1")]
    [InlineData("x.*", "p.$1.$1")]
    [InlineData(">", ">")]
    [InlineData("*.x", "x.*")]
    [InlineData("*.>", "p.$1.>")]
    [InlineData("x", "p")]
    public void The_remote_filter_matches_what_the_local_filter_matches(string remote, string local)
    {
        ImportMapping mapping = ImportMapping.Create(remote, local, isOneWay: false, out _)!;
        string[] subjects = [.. Enumerable.Range(1, 4).SelectMany(n => All(["x", "p", "1"], n))];
        string[] filters = [.. Enumerable.Range(1, 4).SelectMany(n => All(["x", "p", "*", "1"], n)).SelectMany(f => new[] { f, f + ".>" }), ">"];
        foreach (string filter in filters)
        {
            byte[]? there = mapping.FilterToRemote(Bytes(filter));
            foreach (string subject in subjects)
            {
                byte[]? here = mapping.ToLocal(Bytes(subject));
                bool wanted = here is not null && Subject.Matches(Bytes(filter), here);
                bool got = there is not null && Subject.Matches(there, Bytes(subject)) && here is not null;
                Assert.True(wanted == got, $"{filter} over {subject} of {remote} as {local}: {wanted}, by {Text(there)}");
            }
        }
    }

    private static IEnumerable<string> All(string[] tokens, int count)
        => count == 1 ? tokens : All(tokens, count - 1).SelectMany(head => tokens.Select(token => head + "." + token));

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private static string? Text(byte[]? bytes) => bytes is null ? null : Encoding.UTF8.GetString(bytes);

    [Fact]
    public void An_import_maps_subjects_in_both_directions()
    {
        var stream = new StreamImport("A", "a.*.b") { Prefix = "from" };
        var service = new ServiceImport("A", "do.*") { To = "ask.$1" };

        Assert.Equal("from.a.x.b", stream.ToLocal("a.x.b"));
        Assert.Null(stream.ToLocal("a.x.c"));
        Assert.Equal("a.x.b", stream.ToRemote("from.a.x.b"));
        Assert.Equal("do.it", service.ToRemote("ask.it"));
        Assert.Null(service.ToRemote("ask"));
        Assert.Null(new StreamImport("A", "a.*") { To = "b" }.ToLocal("a.x"));
    }
}
