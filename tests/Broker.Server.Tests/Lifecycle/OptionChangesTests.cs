using System.Reflection;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>The log line that names the options which a reload has changed.</summary>
public sealed class OptionChangesTests
{
    // These options cannot change while the server runs.
    private static readonly string[] Fixed =
        [nameof(BrokerServerOptions.ServerName), nameof(BrokerServerOptions.Loops), nameof(BrokerServerOptions.LoopOptions), nameof(BrokerServerOptions.Logger)];

    public static TheoryData<string> Changeable => [.. typeof(BrokerServerOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance)
        .Where(static p => p.SetMethod is { IsPublic: true }).Select(static p => p.Name).Except(Fixed)];

    [Theory]
    [MemberData(nameof(Changeable))]
    public void Each_option_that_may_change_is_named(string name)
    {
        var before = new BrokerServerOptions();
        var after = new BrokerServerOptions();
        Change(after, typeof(BrokerServerOptions).GetProperty(name)!);

        string text = OptionChanges.Describe(before, after);

        // With TLS the default of AuthTimeout changes too.
        Assert.Contains(name, text.Split(", ").Select(static change => change.Split(' ')[0]));
        Assert.DoesNotContain("a-value", name == nameof(BrokerServerOptions.ClientAdvertise) ? "" : text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_log_has_old_and_new_values_and_no_secrets()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.Token = "old secret";
        });

        await server.ReloadAsync(static o =>
        {
            o.MaxPayload = 1000;
            o.PingInterval = TimeSpan.FromSeconds(30);
            o.ClientAdvertise = "example.org:4222";
            o.Token = "new secret";
        });
        await server.ReloadAsync(static _ => { });

        Assert.Contains(
            "Options reloaded: MaxPayload from 1048576 to 1000, PingInterval from 00:02:00 to 00:00:30, ClientAdvertise from none to example.org:4222, Token replaced",
            log.All);
        Assert.Contains("Options reloaded: nothing changed", log.All);
        Assert.DoesNotContain(log.All, static line => line.Contains("secret", StringComparison.Ordinal));
    }

    private static void Change(BrokerServerOptions options, PropertyInfo property)
    {
        Type type = property.PropertyType;
        object? value = property.GetValue(options);
        property.SetValue(options, value switch
        {
            bool flag => !flag,
            int number => number + 1,
            long number => number + 1,
            TimeSpan time => time + TimeSpan.FromSeconds(1),
            SlowConsumerPolicy => SlowConsumerPolicy.DropOldest,
            _ when type == typeof(string) => "a-value",
            _ when type == typeof(IReadOnlyList<string>) => new[] { "a-value" },
            _ when type == typeof(IReadOnlyList<User>) => new[] { new User("a-value", "b") },
            _ when type == typeof(IReadOnlyList<AccountOptions>) => new[] { new AccountOptions("a-value") },
            _ when type == typeof(IReadOnlyList<SubjectMapping>) => new[] { new SubjectMapping("a-value", "b") },
            _ when type == typeof(ServerTlsOptions) => new ServerTlsOptions(),
            _ when type == typeof(Permissions) => new Permissions(),
            _ when type == typeof(AuthCalloutOptions) => new AuthCalloutOptions { Issuer = "a-value", Users = [] },
            _ when type == typeof(Func<IServerKeys>) => (Func<IServerKeys>)(static () => throw new NotSupportedException()),
            _ when type == typeof(OperatorOptions) => new OperatorOptions { TrustedKeys = ["a-value"] },
            _ when type == typeof(Func<AuthorizationRequest, AuthorizationResult>)
                => (Func<AuthorizationRequest, AuthorizationResult>)(static _ => AuthorizationResult.Allow()),
            _ when type == typeof(Func<AuthorizationRequest, ValueTask<AuthorizationResult>>)
                => (Func<AuthorizationRequest, ValueTask<AuthorizationResult>>)(static _ => ValueTask.FromResult(AuthorizationResult.Allow())),
            _ when type.IsAssignableFrom(typeof(Verifiers)) => new Verifiers(),
            _ => throw new InvalidOperationException($"The test has no value of {property.Name}."),
        });
    }

    private sealed class Verifiers : IPasswordVerifier, ISignatureVerifier
    {
        public bool IsValid(string hash) => true;

        public bool Verify(ReadOnlySpan<byte> password, string hash) => false;

        public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature) => false;
    }
}
