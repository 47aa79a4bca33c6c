using System.Security.Claims;
using System.Text;
using System.Text.Json.Nodes;
using Broker.Client;
using Broker.Cryptography;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.JwtBearer;

namespace TokenLogin;

/// <summary>
/// Answers the broker's requests about logins. A client sends its access token as the token of NATS; ASP.NET's handler
/// checks it, and its claim <c>sub</c> says what the client may do.
/// </summary>
internal sealed partial class LoginService(IServiceProvider services, IConfiguration configuration, ILogger<LoginService> logger) : BackgroundService
{
    private readonly IConfiguration _settings = configuration.GetSection("Login");
    private readonly NkeyPair _issuer = NkeyPair.FromSeed(File.ReadAllText(configuration["Login:IssuerFile"]!));
    private readonly NkeyPair _curve = NkeyPair.FromSeed(File.ReadAllText(configuration["Login:CurveFile"]!));

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [_settings["Server"]!], User = _settings["User"], Password = _settings["Password"] }, stoppingToken);
        // Services of the same queue group share the requests.
        connection.Subscribe("$SYS.REQ.USER.AUTH", AnswerAsync, queue: "login");
        await connection.FlushAsync(stoppingToken);
        LogReady(_issuer.PublicKey, _curve.PublicKey);
        await Task.Delay(Timeout.Infinite, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task AnswerAsync(Message request)
    {
        try
        {
            // Decryption proves that the message is the server's: only the server and this service have the keys.
            string server = request.Headers["Nats-Server-Xkey"] ?? throw new FormatException("The request is not encrypted.");
            JsonNode asked = JwtSigner.Read(Encoding.ASCII.GetString(_curve.Open(request.Body.Span, server)))["nats"]!;
            string answer = await DecideAsync(asked);
            request.Respond(_curve.Seal(Encoding.ASCII.GetBytes(answer), server));
        }
        catch (Exception e) when (e is FormatException or System.Security.Cryptography.CryptographicException or InvalidOperationException)
        {
            // Without an answer, the broker refuses the login.
            LogIgnored(e.Message);
        }
    }

    private async Task<string> DecideAsync(JsonNode asked)
    {
        string user = asked["user_nkey"]!.ToString();
        var nats = new JsonObject { ["type"] = "authorization_response", ["version"] = 2 };
        AuthenticateResult result = await CheckAsync(asked["connect_opts"]!["auth_token"]?.ToString());
        string? name = result.Principal?.FindFirstValue("sub");
        if (result.Succeeded && name is not null && name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_'))
        {
            nats["jwt"] = UserJwt(user, name, result.Properties.ExpiresUtc);
        }
        else
        {
            nats["error"] = result.Failure is { } failure ? $"the access token is refused: {failure.GetType().Name}"
                : result.Succeeded ? "the claim sub is no name"
                : "there is no access token";
        }

        return JwtSigner.Sign(_issuer, new JsonObject { ["sub"] = user, ["aud"] = asked["server_id"]!["id"]!.ToString(), ["nats"] = nats });
    }

    // ASP.NET's handler works on the header of a request, also outside of a web server.
    private async Task<AuthenticateResult> CheckAsync(string? token)
    {
        await using AsyncServiceScope scope = services.CreateAsyncScope();
        var context = new DefaultHttpContext { RequestServices = scope.ServiceProvider };
        context.Request.Headers.Authorization = token is null ? default : $"Bearer {token}";
        return await context.AuthenticateAsync(JwtBearerDefaults.AuthenticationScheme);
    }

    private string UserJwt(string user, string name, DateTimeOffset? expires)
    {
        var claims = new JsonObject
        {
            ["sub"] = user,
            ["name"] = name,
            ["aud"] = _settings["Account"],
            ["nats"] = new JsonObject
            {
                ["type"] = "user",
                ["version"] = 2,
                ["subs"] = -1,
                ["data"] = -1,
                ["payload"] = -1,
                ["pub"] = new JsonObject { ["allow"] = new JsonArray($"users.{name}.>") },
                ["sub"] = new JsonObject { ["allow"] = new JsonArray($"users.{name}.>", "_INBOX.>") },
            },
        };
        if (expires is { } end)
        {
            // The broker closes the connection when the access token expires.
            claims["exp"] = end.ToUnixTimeSeconds();
        }

        return JwtSigner.Sign(_issuer, claims);
    }

    [LoggerMessage(1, LogLevel.Information, "Ready: issuer {Issuer}, xkey {Curve}")]
    private partial void LogReady(string issuer, string curve);

    [LoggerMessage(2, LogLevel.Warning, "A request is ignored: {Reason}")]
    private partial void LogIgnored(string reason);
}
