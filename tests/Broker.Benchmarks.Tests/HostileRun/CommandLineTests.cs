using System.CommandLine;
using Broker.HostileRun;
using Broker.HostileRun.Attacks;
using Arguments = Broker.HostileRun.CommandLine;

namespace Broker.Benchmarks.Tests.HostileRun;

public sealed class CommandLineTests
{
    [Theory]
    [InlineData("")]
    [InlineData("--minutes 0.5 --heap-limit 200MB --no-times")]
    [InlineData("--attackers-priority lowest")]
    [InlineData("--attackers-priority normal --minutes 1")]
    [InlineData("--kinds zeromq-stops,curve-hellos --kinds slow-readers")]
    public void Valid_arguments_are_accepted(string line) => Assert.Empty(Arguments.Create().Parse(line).Errors);

    [Theory]
    [InlineData("--minutes 0")]
    [InlineData("--heap-limit much")]
    [InlineData("--attackers-priority highest")]
    [InlineData("--program no-such-file")]
    [InlineData("--kinds zeromq-stops,nothing")]
    [InlineData("--fast")]
    public void Invalid_arguments_are_errors(string line) => Assert.NotEmpty(Arguments.Create().Parse(line).Errors);

    [Fact]
    public void The_help_names_every_kind_of_attack()
    {
        using var output = new StringWriter();
        Arguments.Create().Parse("--help").Invoke(new InvocationConfiguration { Output = output });
        string help = string.Join(' ', output.ToString().Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));

        Assert.All(Catalogue.All, kind => Assert.Contains(kind.Name, help, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("200000000", 200_000_000)]
    [InlineData("200M", 200_000_000)]
    [InlineData("200MB", 209_715_200)]
    [InlineData("128mib", 134_217_728)]
    [InlineData("MB", 0)]
    [InlineData("-1", 0)]
    [InlineData("0", 0)]
    [InlineData("99999999999G", 0)]
    public void Sizes_have_the_forms_of_the_configuration_file(string text, long expected)
    {
        Assert.Equal(expected > 0, SizeText.TryParse(text, out long bytes));
        Assert.Equal(expected, bytes);
    }
}
