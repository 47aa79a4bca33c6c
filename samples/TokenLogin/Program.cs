using Microsoft.AspNetCore.Authentication.JwtBearer;
using TokenLogin;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
// The keys of appsettings.json are those of JwtBearerOptions, such as Authority and Audience.
builder.Services.AddAuthentication(JwtBearerDefaults.AuthenticationScheme)
    .AddJwtBearer(options => builder.Configuration.Bind("OpenIdConnect", options));
builder.Services.AddHostedService<LoginService>();
await builder.Build().RunAsync();
