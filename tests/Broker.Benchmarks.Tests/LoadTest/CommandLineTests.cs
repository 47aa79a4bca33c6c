using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Servers;
using Arguments = Broker.LoadTest.CommandLine;

namespace Broker.Benchmarks.Tests.LoadTest;

public class CommandLineTests
{
    [Theory]
    [InlineData("--quick --cold --rounds 9 --rows basic,tls --picture a.svg --markdown a.md --csv a.csv")]
    [InlineData("--server other=cmd --rows all")]
    [InlineData("--portable --rows basic")]
    [InlineData("agreement")]
    [InlineData("agreement --rounds 3 --rows pub16,request16 --time 500 --sessions 2 --bench broker --within 0.1")]
    [InlineData("churn")]
    [InlineData("churn --minutes 0.5 --rate 200 --on all --markdown a.md")]
    [InlineData("clients")]
    [InlineData("clients --quick --rounds 2 --rows publish,request-64 --markdown a.md")]
    [InlineData("slow-readers")]
    [InlineData("slow-readers --messages 1000 --readers 1,4 --speed 0.5 --markdown a.md")]
    [InlineData("soak-streams")]
    [InlineData("soak-streams --minutes 3 --rate 500 --directory data --output a.txt")]
    public void Valid_arguments_are_accepted(string line) => Assert.Empty(Arguments.Create().Parse(line).Errors);

    [Theory]
    [InlineData("--rounds 0")]
    [InlineData("--fast")]
    [InlineData("agreement --rounds 0")]
    [InlineData("agreement --time 0")]
    [InlineData("agreement --sessions 0")]
    [InlineData("churn --minutes 0")]
    [InlineData("churn --rate 0")]
    [InlineData("clients --rounds 0")]
    [InlineData("slow-readers --messages 0")]
    [InlineData("slow-readers --readers 0")]
    [InlineData("slow-readers --readers 1,,4")]
    [InlineData("slow-readers --readers 1001")]
    [InlineData("slow-readers --speed 0")]
    [InlineData("soak-streams --minutes 0")]
    [InlineData("soak-streams --rate 1")]
    public void Invalid_arguments_are_errors(string line) => Assert.NotEmpty(Arguments.Create().Parse(line).Errors);

    [Theory]
    [InlineData("--rows nothing")]
    [InlineData("--server broker")]
    [InlineData("agreement --rows nothing")]
    [InlineData("churn --on nothing")]
    [InlineData("clients --rows nothing")]
    public async Task Unknown_names_end_with_exit_code_2(string line)
        => Assert.Equal(2, await Arguments.Create().Parse(line).InvokeAsync(cancellationToken: TestContext.Current.CancellationToken));

    [Fact]
    public void The_help_names_every_group()
    {
        using var output = new StringWriter();
        Arguments.Create().Parse("--help").Invoke(new InvocationConfiguration { Output = output });

        Assert.All(["basic", "tls", "real", "scaling", "fanout", "memory", "start", "fairness", "wakeup", "leaf", "--picture", "--curves", "--cold", "--portable", "--pages", "churn", "clients", "slow-readers", "soak-streams"], word => Assert.Contains(word, output.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public void The_help_has_no_paragraph_that_fills_a_terminal()
    {
        Assert.All(Arguments.Create().Options, static option => Assert.True(option.Description!.Length < 400, option.Name));
    }

    [Fact]
    public void The_list_has_each_group_and_each_row_on_a_line_of_its_own()
    {
        using var output = new StringWriter();

        Assert.Equal(0, Arguments.Create().Parse("--list").Invoke(new InvocationConfiguration { Output = output }));

        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(Catalogue.Groups.Select(static group => $"{group.Name}: {group.What}"), lines.Where(static line => line[0] != ' '));
        Assert.Equal(Catalogue.Groups.SelectMany(static group => group.Rows).Select(static row => $"  {row.Name}: {row.What}"), lines.Where(static line => line[0] == ' '));
    }

    [Fact]
    public void A_server_is_a_name_and_a_command_with_quoted_arguments()
    {
        var command = ServerCommand.Parse("""other="a b" -p {port} "c d" """);

        Assert.Equal("other", command.Name);
        Assert.Equal("a b", command.FileName);
        Assert.Equal(["-p", "4223", "c d"], command.ArgumentsFor(4223, null));
    }

    [Fact]
    public void A_server_with_TLS_gets_the_files_of_the_certificate()
    {
        using var certificate = new CertificateFiles();
        ServerCommand command = ServerCommand.Parse("other=server -p {port}").OverTls();

        Assert.True(command.IsTls);
        Assert.Equal(["-p", "1", "--tls", "--tlscert", certificate.CertificatePath, "--tlskey", certificate.KeyPath], command.ArgumentsFor(1, certificate));
        Assert.True(File.Exists(certificate.KeyPath));
        Assert.False(certificate.Matches(null));
    }

    [Fact]
    public void The_files_of_the_certificate_are_deleted_with_it()
    {
        string path;
        using (var certificate = new CertificateFiles())
        {
            path = certificate.KeyPath;
        }

        Assert.False(File.Exists(path));
    }
}
