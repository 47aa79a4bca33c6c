using Broker.Cli.Configuration;
using Broker.Server;

namespace Broker.Cli.Tests.Configuration;

public sealed class MappingsConfigTests
{
    [Fact]
    public void A_mapping_has_one_destination_or_several_with_weights()
    {
        ServeSettings settings = Bind("""
            mappings = {
              a: b
              "w.*": "x.{{wildcard(1)}}"
              A: [ { destination: c, weight: 20% }, { dest: d, weight: "30%" } ]
              one { destination: e, weight: 100 }
            }
            maps { m: n }
            accounts { B { mappings { q: r } } }
            """, out List<ConfigProblem> warnings);

        Assert.Equal(["a to b", "w.* to x.{{wildcard(1)}}", "A to c (20 %), d (30 %)", "one to e", "m to n"], settings.Mappings.Select(m => m.ToString()));
        SubjectMapping inside = Assert.Single(settings.Security!.Accounts.Single().Mappings);
        Assert.Equal("q to r", inside.ToString());
        Assert.Empty(warnings);
        Assert.Null(Bind("mappings { a: b }", out _).Security);
    }

    [Fact]
    public void A_destination_of_another_cluster_has_no_effect()
    {
        ServeSettings settings = Bind(
            "mappings { a: [ { destination: b, weight: 100, cluster: east }, { destination: c, weight: 40 } ] }", out List<ConfigProblem> warnings);

        Assert.Equal("a to c (40 %)", settings.Mappings.Single().ToString());
        Assert.StartsWith(
            "the destination \"b\" has no effect: it is only for the cluster \"east\" at test.conf:1:", Assert.Single(warnings).ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("mappings: a", "\"mappings\" must be a block such as")]
    [InlineData("mappings { a: 5 }", "the mapping of \"a\" must be a subject, or an array of blocks")]
    [InlineData("mappings { a: [ b ] }", "the mapping of \"a\" must be a subject, or an array of blocks")]
    [InlineData("mappings { a: [ { destination: b } ] }", "\"b\" needs a \"weight\"")]
    [InlineData("mappings { a: [ { weight: 5 } ] }", "a mapping needs a \"destination\"")]
    [InlineData("mappings { a: [ { destination: b, wieght: 5 } ] }", "did you mean \"weight\"?")]
    [InlineData("mappings { a: [ { destination: b, weight: 101 } ] }", "\"weight\" must be a whole number from 0 to 100")]
    [InlineData("mappings { \"a.*\": \"b.$2\" }", "'a.*' cannot be mapped: '$2' refers to a wildcard")]
    [InlineData("mappings { a.*: b.{{wildcard(1)}} }", "a value with {{ must be in quotes")]
    [InlineData("mappings { a: b }\nmaps { a: c }", "\"a\" is mapped twice")]
    [InlineData("accounts { A { maps { a: \"b c\" } } }", "'a' cannot be mapped: 'b c' is not a valid subject")]
    public void What_is_wrong_is_named_with_its_position(string text, string problem)
    {
        ConfigException e = Assert.Throws<ConfigException>(() => Bind(text, out _));
        Assert.Contains(e.Problems, p => p.ToString().Contains(problem, StringComparison.Ordinal) && p.Position.Line > 0);
    }

    private static ServeSettings Bind(string text, out List<ConfigProblem> warnings)
        => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings(), warnings = []);
}
