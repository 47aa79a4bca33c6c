using System.Security.Cryptography;
using System.Text.Json;
using Broker.Cli.Tests.Shell;

namespace Broker.Cli.Tests.Streams;

/// <summary>Tests <c>broker object</c> with nats-servers that have JetStream.</summary>
public sealed class ObjectCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Servers => StreamsServer.All;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task A_file_comes_back_as_it_was(string name)
    {
        using var server = StreamsServer.Start(name);
        string facts = await server.RunAsync("object", "add", "reports", "--ttl", "7d", "--max-bucket-size", "10MB", "--description", "all");
        Assert.All((string[])["store reports", "description all", "ttl 7d", "max-bucket-size 10 MiB", "storage file"], fact => Assert.Contains(fact, Squeezed(facts)));
        byte[] content = RandomNumberGenerator.GetBytes(1_000_000);
        string file = Path.Combine(_folder.Path, "a.bin");
        await File.WriteAllBytesAsync(file, content, TestContext.Current.CancellationToken);

        JsonElement put = JsonDocument.Parse(await server.RunAsync("object", "put", "reports", file, "--name", "year/a.bin", "--json")).RootElement;
        Assert.Equal("reports year/a.bin 1000000 8", $"{put.GetProperty("bucket")} {put.GetProperty("name")} {put.GetProperty("size")} {put.GetProperty("chunks")}");
        Assert.Contains("size 976.56 KiB (1000000 bytes)", Squeezed(await server.RunAsync("object", "info", "reports", "year/a.bin")));
        Assert.Matches(@"^year/a\.bin 20[^ ]+ [^ ]+Z 976\.56 KiB$", Squeezed(await server.RunAsync("object", "ls", "reports"))[1]);
        Assert.Equal("year/a.bin\n", await server.RunAsync("object", "ls", "reports", "--names"));
        Assert.Equal("reports\n", await server.RunAsync("object", "ls", "--names"));

        string copy = Path.Combine(_folder.Path, "copy.bin");
        Assert.Equal((ExitCode.Success, "", $"wrote 976.56 KiB to {copy}\n"), await server.EndAsync("object", "get", "reports", "year/a.bin", "-O", copy));
        Assert.Equal(content, await File.ReadAllBytesAsync(copy, TestContext.Current.CancellationToken));
        Assert.Equal(
            $"broker: the file {copy} exists; --force replaces it, and --output names another one\n",
            await server.FailAsync(ExitCode.Usage, "object", "get", "reports", "year/a.bin", "-O", copy));
        Assert.Equal(ExitCode.Success, (await server.EndAsync("object", "get", "reports", "year/a.bin", "-O", copy, "--force")).ExitCode);
        await using var piped = ShellRun.Start(server.With("object", "get", "reports", "year/a.bin", "-O", "-"));
        Assert.Equal(ExitCode.Success, await piped.EndAsync());
        Assert.Equal(content, piped.Bytes);
        Assert.Equal(["a.bin", "copy.bin"], Directory.EnumerateFiles(_folder.Path).Select(Path.GetFileName).Order(StringComparer.Ordinal));

        Assert.Equal("deleted the object year/a.bin of the store reports\n", await server.RunAsync("object", "del", "reports", "year/a.bin", "--force"));
        Assert.Equal((ExitCode.Success, "", "no objects\n"), await server.EndAsync("object", "ls", "reports"));
        Assert.Equal("deleted the object store reports\n", await server.RunAsync("object", "rm", "reports", "--force"));
        Assert.Equal((ExitCode.Success, "", "no object stores\n"), await server.EndAsync("object", "ls"));
    }

    [Fact]
    public async Task An_object_is_replaced_only_if_the_user_agrees()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);
        await server.RunAsync("object", "add", "reports");
        string[] args = server.With("object", "put", "reports", "--name", "a");
        await using (var first = ShellRun.StartWith("one"u8.ToArray(), args))
        {
            Assert.Equal(ExitCode.Success, await first.EndAsync());
        }

        await using (var second = ShellRun.StartWith("two"u8.ToArray(), args))
        {
            Assert.Equal((ExitCode.Usage, "broker: standard input is not a terminal, so nobody can confirm; --force does not ask\n"), (await second.EndAsync(), second.Error));
        }

        await using (var third = ShellRun.StartWith("three"u8.ToArray(), [.. args, "--force"]))
        {
            Assert.Equal(ExitCode.Success, await third.EndAsync());
        }

        Assert.Equal("three", await server.RunAsync("object", "get", "reports", "a", "-O", "-"));
    }

    [Fact]
    public async Task What_is_not_there_is_said()
    {
        using var server = StreamsServer.Start(StreamsServer.Installed);
        await server.RunAsync("object", "add", "reports");

        Assert.Equal("broker: there is no object store report; did you mean reports?\n", await server.FailAsync(ExitCode.Failure, "object", "ls", "report"));
        Assert.Equal("broker: the object store reports has no object a\n", await server.FailAsync(ExitCode.Failure, "object", "get", "reports", "a", "-O", "-"));
        Assert.Equal("broker: the object store reports has no object a\n", await server.FailAsync(ExitCode.Failure, "object", "del", "reports", "a", "--force"));
        Assert.StartsWith(
            "broker: the file /none/of/these cannot be read: ", await server.FailAsync(ExitCode.Failure, "object", "put", "reports", "/none/of/these"), StringComparison.Ordinal);
        Assert.Equal("broker: a file is missing; for standard input, --name is needed\n", await server.FailAsync(ExitCode.Usage, "object", "put", "reports"));
        Assert.Equal(
            "broker: the object store reports exists with other options; broker object info shows them\n",
            await server.FailAsync(ExitCode.Failure, "object", "add", "reports", "--ttl", "1h"));
    }

    // The lines with one blank between words.
    private static string[] Squeezed(string text)
        => [.. text.TrimEnd('\n').Split('\n').Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries)))];
}
