using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Callouts;

/// <summary>samples/TokenLogin with an identity provider of this test: clients log in with its access tokens.</summary>
public sealed class TokenLoginSampleTests : IDisposable
{
    private const string Audience = "broker";

    private readonly TemporaryFolder _folder = new();
    private readonly RSA _provider = RSA.Create(2048);

    public void Dispose()
    {
        _provider.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_client_logs_in_with_an_access_token_of_the_identity_provider()
    {
        await using WebApplication provider = await StartProviderAsync();
        string authority = provider.Urls.Single();
        var issuer = NkeyPair.Generate(NkeyKind.Account);
        var curve = NkeyPair.Generate(NkeyKind.Curve);
        string file = _folder.Write("broker.conf", $$"""
            accounts {
              LOGIN { users: [ { user: login, password: login } ] }
              APP { }
            }
            authorization {
              timeout: 60
              auth_callout { issuer: {{issuer}}, account: LOGIN, auth_users: [login], xkey: {{curve}}, allowed_accounts: [APP] }
            }

            """);
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                await using var sample = PeerProcess.Start(
                    "sample", "dotnet", Repository.Sample("TokenLogin"),
                    $"--OpenIdConnect:Authority={authority}", "--OpenIdConnect:RequireHttpsMetadata=false", $"--Login:Server={addresses.Nats[0]}",
                    $"--Login:IssuerFile={_folder.Write("issuer.seed", issuer.ExportSeed())}", $"--Login:CurveFile={_folder.Write("curve.seed", curve.ExportSeed())}");
                await sample.ReadLineWithAsync("Ready: issuer");
                await CheckAsync(addresses.Nats[0], authority);
            },
            "-q", "-c", file, "-p", "-1");
    }

    private async Task CheckAsync(string url, string authority)
    {
        DateTimeOffset later = DateTimeOffset.UtcNow.AddHours(1);
        string good = Token(_provider, authority, Audience, "ada", later);
        Assert.Equal("", await PublishAsync(url, good, "users.ada.x"));
        Assert.Contains("Permissions Violation", await PublishAsync(url, good, "users.bob.x"), StringComparison.Ordinal);
        using var stranger = RSA.Create(2048);
        foreach (string bad in (string[])
            [
                Token(stranger, authority, Audience, "ada", later), Token(_provider, authority, "another", "ada", later),
                Token(_provider, "http://another", Audience, "ada", later), Token(_provider, authority, Audience, "ada", DateTimeOffset.UtcNow.AddHours(-1)),
                Token(_provider, authority, Audience, "ada.>", later), good[..good.LastIndexOf('.')] + ".", "no-token",
            ])
        {
            Assert.Contains("Authorization Violation", await PublishAsync(url, bad, "users.ada.x"), StringComparison.Ordinal);
        }
    }

    private static async Task<string> PublishAsync(string url, string token, string subject)
        => (await ShellRun.OfAsync("pub", "-s", url, "--auth", token, subject, "x")).Error;

    private async Task<WebApplication> StartProviderAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        RSAParameters key = _provider.ExportParameters(includePrivateParameters: false);
        app.MapGet("/.well-known/openid-configuration", (HttpRequest request) =>
            Json(new JsonObject { ["issuer"] = $"http://{request.Host}", ["jwks_uri"] = $"http://{request.Host}/keys" }));
        app.MapGet("/keys", () => Json(new JsonObject
        {
            ["keys"] = new JsonArray(new JsonObject
            {
                ["kty"] = "RSA",
                ["use"] = "sig",
                ["kid"] = "one",
                ["n"] = Base64Url.EncodeToString(key.Modulus),
                ["e"] = Base64Url.EncodeToString(key.Exponent),
            }),
        }));
        await app.StartAsync(TestContext.Current.CancellationToken);
        return app;
    }

    private static IResult Json(JsonObject json) => Results.Text(json.ToJsonString(), "application/json");

    private static string Token(RSA signer, string issuer, string audience, string subject, DateTimeOffset expires)
    {
        string claims = string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"iss":"{{issuer}}","aud":"{{audience}}","sub":"{{subject}}","exp":{{expires.ToUnixTimeSeconds()}},"nbf":{{DateTimeOffset.UtcNow.AddHours(-2).ToUnixTimeSeconds()}}}""");
        string text = Base64Url.EncodeToString("""{"alg":"RS256","kid":"one","typ":"JWT"}"""u8) + "." + Base64Url.EncodeToString(Encoding.UTF8.GetBytes(claims));
        return text + "." + Base64Url.EncodeToString(signer.SignData(Encoding.ASCII.GetBytes(text), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));
    }
}
